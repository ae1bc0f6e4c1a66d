/** Whole collections: page by page, gathered, or by a stream. */
import type { KubeObject } from '../../machinery/object-meta.ts';
import { isStatusError } from '../../machinery/status.ts';
import { itemsOf, type ListMeta, type ObjectList } from './object-list.ts';
import type { ListAllOptions, ListOptions, WatchOptions } from './options.ts';
import { initialEventsEnd } from '../initial-events.ts';
import type { WatchEvent } from './watch.ts';

export interface Page<T> {
  /** `resourceVersion` is the same for all pages of a list. */
  readonly metadata: ListMeta;
  readonly items: T[];
}

export interface ListCalls<T> {
  list(options: ListOptions): Promise<ObjectList<T>>;
  watch(options: WatchOptions): AsyncIterable<WatchEvent<T>>;
}

const defaultPageSize = 500;

/** Throws `ApiError` 410 when the list expires before its last page was read. */
export async function* pagesOf<T extends KubeObject>(
  calls: Pick<ListCalls<T>, 'list'>,
  { pageSize = defaultPageSize, stream: _, ...options }: ListAllOptions,
): AsyncGenerator<Page<T>, void, void> {
  const limit = pageSize === 0 ? {} : { limit: pageSize };
  let list = await calls.list({ ...options, ...limit });
  for (;;) {
    const { metadata = {} } = list;
    yield { metadata, items: itemsOf(list) };
    if (metadata.continue === undefined || metadata.continue === '') return;
    // The token stands for the version too.
    const { resourceVersion: _version, resourceVersionMatch: _match, ...rest } = options;
    list = await calls.list({ ...rest, ...limit, continue: metadata.continue });
  }
}

/** A list that expires between two pages is read again at once. */
export async function listAll<T extends KubeObject>(calls: ListCalls<T>, options: ListAllOptions): Promise<Page<T>> {
  if (options.stream === true) {
    const streamed = await streamedList(calls, options);
    if (streamed !== undefined) return streamed;
  }
  const items: T[] = [];
  let metadata: ListMeta = {};
  try {
    for await (const page of pagesOf(calls, options)) {
      for (const item of page.items) items.push(item);
      ({ metadata } = page);
    }
    return { metadata, items };
  } catch (error) {
    if (items.length === 0 || !isStatusError(error) || error.code !== 410) throw error;
    const { pageSize: _, stream: _stream, ...whole } = options;
    const list = await calls.list(whole);
    return { metadata: list.metadata ?? {}, items: itemsOf(list) };
  }
}

/** Undefined where the server does not stream lists. */
async function streamedList<T extends KubeObject>(
  calls: ListCalls<T>,
  { labelSelector, fieldSelector, resourceVersion, signal }: ListAllOptions,
): Promise<Page<T> | undefined> {
  const items: T[] = [];
  const selection = { labelSelector, fieldSelector, resourceVersion, signal };
  try {
    for await (const { type, object } of calls.watch({ ...selection, sendInitialEvents: true })) {
      if (type === 'ADDED') items.push(object);
      else if (type === 'BOOKMARK' && object.metadata?.annotations?.[initialEventsEnd] === 'true')
        return { metadata: { resourceVersion: object.metadata.resourceVersion ?? '' }, items };
    }
    return undefined;
  } catch (error) {
    if (isStatusError(error) && (error.code === 422 || error.code === 400)) return undefined;
    throw error;
  }
}
