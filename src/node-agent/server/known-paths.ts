/** Which paths an agent serves at all: others are not there for any caller, known or not. */

const exact = new Set(['/pods', '/pods/', '/configz', '/configz/', '/debug/flags/v']);

/** With what is below. */
const roots = [
  '/healthz',
  '/metrics',
  '/stats',
  '/logs',
  '/runningpods',
  '/run',
  '/exec',
  '/attach',
  '/portForward',
  '/containerLogs',
  '/checkpoint',
  '/debug/pprof',
];

/** @param more those of pages that a gate switches on */
export const isKnownPath = (path: string, more: readonly string[] = []): boolean =>
  exact.has(path) || more.includes(path) || roots.some((root) => path === root || path.startsWith(`${root}/`));

/** On the port without TLS. */
const openRoots = ['/healthz', '/metrics', '/stats'];

export const isOpenPath = (path: string): boolean =>
  path === '/pods' || path === '/pods/' || openRoots.some((root) => path === root || path.startsWith(`${root}/`));
