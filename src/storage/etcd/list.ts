import { firstKey, prefixEnd } from '../../etcd/messages.ts';
import type { KeyValue, RangeRequest, RangeResponse } from '../../etcd/messages.ts';
import type { ListOptions, ListResult } from '../interface.ts';

/** An answer should not be much larger: etcd and we hold all of it at once. */
const pageBytes = 8 * 1024 * 1024;
const pageKeys = { first: 1_000, least: 100, most: 10_000 };

/**
 * Reads a list in pages of bounded size, all at the revision of the first, so that a large list costs neither side a
 * message as large. Pages are read linearizably even at a known revision: another member may not have it yet.
 */
export async function listAll(
  range: (request: RangeRequest) => Promise<RangeResponse>,
  prefix: string,
  options: ListOptions,
): Promise<ListResult> {
  const wanted = options.limit === undefined || options.limit <= 0 ? Infinity : options.limit;
  const rangeEnd = prefixEnd(prefix);
  let key = options.start ?? (prefix === '' ? firstKey : prefix);
  let size = options.keysOnly === true ? pageKeys.most : pageKeys.first;
  let { revision } = options;
  let count: number | undefined;
  const kvs: KeyValue[] = [];
  for (;;) {
    const limit = Math.min(size, wanted - kvs.length);
    const page = await range({
      key,
      rangeEnd,
      limit,
      ...(revision === undefined ? {} : { revision }),
      keysOnly: options.keysOnly ?? false,
    });
    revision ??= page.revision;
    count ??= page.count;
    if (kvs.length === 0 && page.kvs.length === page.count) return { revision, kvs: page.kvs, count };
    for (const kv of page.kvs) kvs.push(kv);
    if (page.kvs.length === 0 || page.kvs.length === page.count || kvs.length >= wanted)
      return { revision, kvs, count };
    key = `${page.kvs.at(-1)!.key}\u0000`;
    size = nextPageKeys(page.kvs, size);
  }
}

/** As many keys as fit into a page if the next ones are like these, and not many more than last time. */
function nextPageKeys(kvs: readonly KeyValue[], size: number): number {
  let bytes = 1;
  for (const { value } of kvs) bytes += value.length;
  const fitting = Math.floor((pageBytes * kvs.length) / bytes);
  return Math.max(pageKeys.least, Math.min(fitting, size * 4, pageKeys.most));
}
