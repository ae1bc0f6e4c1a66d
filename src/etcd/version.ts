/**
 * What a version of etcd can be relied upon for. An unknown version is relied upon for nothing.
 */

/**
 * Progress notifications never run ahead of events. Before, a watcher could be told that it had heard of everything
 * up to a revision while changes were still on their way.
 *
 * @see {@link https://github.com/etcd-io/etcd/issues/15220 | etcd#15220}
 */
export const hasSoundProgress = (version: string): boolean => isAtLeast(version, { '3.4': 31, '3.5': 13 });

/**
 * A deletion at the very revision of a compaction survives it. Before, a watch that starts at that revision was
 * accepted, and the deletion missing.
 *
 * @see {@link https://github.com/etcd-io/etcd/pull/18474 | etcd#18474}
 */
export const keepsCompactedDeletion = (version: string): boolean => isAtLeast(version, { '3.4': 34, '3.5': 16 });

/** `since`: the first good patch release by minor release. Older minor releases are not good, newer ones are. */
function isAtLeast(version: string, since: Readonly<Record<'3.4' | '3.5', number>>): boolean {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (match === null) return false;
  const [major, minor, patch] = match.slice(1).map(Number) as [number, number, number];
  if (major !== 3 || minor > 5) return major > 3 || (major === 3 && minor > 5);
  if (minor < 4) return false;
  return patch >= (minor === 4 ? since['3.4'] : since['3.5']);
}
