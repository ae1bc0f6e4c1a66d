/**
 * Whether progress notifications of this version never run ahead of events. Before 3.4.31 and 3.5.13 they could, so
 * that a watcher believed to have heard of changes that were still on their way.
 *
 * @see {@link https://github.com/etcd-io/etcd/issues/15220 | etcd#15220}
 */
export function hasSoundProgress(version: string): boolean {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (match === null) return false;
  const [major, minor, patch] = match.slice(1).map(Number) as [number, number, number];
  if (major !== 3) return major > 3;
  if (minor === 4) return patch >= 31;
  if (minor === 5) return patch >= 13;
  return minor > 5;
}
