/**
 * Reads a range of the store page by page at one revision. Only one page of values is held here at a time, and a page
 * is sized by what the objects before it weighed, so that the peak is bounded for small and for large objects alike.
 */
import type { KeyValue, Store } from './interface.ts';
import type { KeyRange } from './selection.ts';

export interface PagesOptions {
  readonly range: KeyRange;
  /** As of this revision; the current one when absent. */
  readonly revision?: number;
  /** First key, inclusive. */
  readonly start?: string;
  readonly keysOnly?: boolean;
  /** Read no more than about so many keys; the last page can hold fewer than asked for, never more. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

export interface Page {
  readonly revision: number;
  readonly kvs: readonly KeyValue[];
  /** Keys of the range behind this page. */
  readonly rest: number;
}

const pageBytes = 4 * 1024 * 1024;
const firstPage = 200;
const largestPage = 10_000;

export async function* readPages(store: Store, options: PagesOptions): AsyncGenerator<Page> {
  const { range, keysOnly, signal } = options;
  if (range.key !== undefined) return yield await readOne(store, range.key, options);
  let { revision } = options;
  let start = startWithin(range.prefix, options.start);
  let limit = keysOnly ? largestPage : firstPage;
  let left = options.limit ?? Infinity;
  for (;;) {
    const page = await store.list(range.prefix, {
      limit: Math.min(limit, left),
      ...(revision === undefined ? {} : { revision }),
      ...(start === undefined ? {} : { start }),
      ...(keysOnly ? { keysOnly } : {}),
      ...(signal === undefined ? {} : { signal }),
    });
    const rest = page.count - page.kvs.length;
    revision ??= page.revision;
    yield { revision, kvs: page.kvs, rest };
    left -= page.kvs.length;
    const last = page.kvs.at(-1);
    if (rest === 0 || left <= 0 || last === undefined) return;
    start = keyAfter(last.key);
    if (!keysOnly) limit = nextLimit(page.kvs);
  }
}

/** A start from a token can lie anywhere; the store wants it in the range. */
function startWithin(prefix: string, start: string | undefined): string | undefined {
  if (start === undefined || start.startsWith(prefix)) return start;
  return Buffer.compare(Buffer.from(start), Buffer.from(prefix)) < 0 ? undefined : prefix + behindAll;
}

/** The last code point: no name is behind it. */
const behindAll = '\u{10ffff}';

/** The smallest key behind this one. */
export function keyAfter(key: string): string {
  return `${key}\0`;
}

async function readOne(store: Store, key: string, options: PagesOptions): Promise<Page> {
  const { revision, start, signal } = options;
  const got = await store.get(key, {
    ...(revision === undefined ? {} : { revision }),
    ...(signal === undefined ? {} : { signal }),
  });
  const kvs = got.kv === undefined || (start !== undefined && start > key) ? [] : [got.kv];
  return { revision: revision ?? got.revision, kvs, rest: 0 };
}

function nextLimit(kvs: readonly KeyValue[]): number {
  const bytes = kvs.reduce((sum, kv) => sum + kv.value.length, 0);
  const fitting = Math.floor((pageBytes * kvs.length) / Math.max(bytes, 1));
  return Math.min(Math.max(fitting, 10), largestPage);
}
