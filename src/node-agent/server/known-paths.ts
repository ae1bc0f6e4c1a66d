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

export const isKnownPath = (path: string): boolean =>
  exact.has(path) || roots.some((root) => path === root || path.startsWith(`${root}/`));

/** On the port without TLS. */
const openRoots = ['/healthz', '/metrics', '/stats'];

export const isOpenPath = (path: string): boolean =>
  path === '/pods' || path === '/pods/' || openRoots.some((root) => path === root || path.startsWith(`${root}/`));
