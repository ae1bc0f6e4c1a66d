import { type Authorizer, noOpinion } from './authorizer.ts';

/**
 * `--authorization-always-allow-paths`: paths that every caller may ask for, so that health can be looked at without a
 * credential. A `*` at the end stands for all that begins with the rest; a slash at the beginning may be left out.
 */
export function alwaysAllowPaths(paths: readonly string[]): Authorizer {
  const trimmed = paths.map((path) => path.replace(/^\//, ''));
  const exact = new Set(trimmed.filter((path) => !path.endsWith('*')));
  const prefixes = trimmed.filter((path) => path.endsWith('*')).map((path) => path.slice(0, -1));
  return {
    authorize({ isResourceRequest, path }) {
      if (isResourceRequest) return noOpinion;
      const asked = path.replace(/^\//, '');
      return exact.has(asked) || prefixes.some((prefix) => asked.startsWith(prefix))
        ? { decision: 'allow', reason: '' }
        : noOpinion;
    },
  };
}
