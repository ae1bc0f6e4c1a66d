/** One item of `--watch-cache-sizes`. */
export interface WatchCacheSize {
  /** `pods`, `deployments.apps` */
  readonly groupResource: string;
  readonly size: number;
}

/** Reads `resource[.group]#size`. Throws with the reference's words. */
export function readWatchCacheSize(text: string): WatchCacheSize {
  const [groupResource, size, ...more] = text.split('#');
  if (groupResource === undefined || size === undefined || more.length > 0)
    throw new Error(`invalid value of watch cache size: ${text}`);
  if (!/^[-+]?\d+$/.test(size)) throw new Error(`invalid size of watch cache size: ${text}`);
  if (Number(size) < 0) throw new Error(`watch cache size cannot be negative: ${text}`);
  return { groupResource, size: Number(size) };
}

/** Whether the resource is kept in a watch cache: not with `--watch-cache=false`, nor when its size is 0. */
export function usesWatchCache(
  storage: { readonly watchCache: boolean; readonly watchCacheSizes: readonly string[] },
  group: string,
  resource: string,
): boolean {
  const name = group === '' ? resource : `${resource}.${group}`;
  return (
    storage.watchCache &&
    storage.watchCacheSizes.map(readWatchCacheSize).findLast(({ groupResource }) => groupResource === name)?.size !== 0
  );
}
