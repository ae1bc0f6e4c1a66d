/**
 * Spans of what the storage of a resource does, under the names of the reference: of reads by way of the watch cache,
 * and of calls of the store. Neither is made where nothing is traced.
 */
import { currentSpan, inChildSpan, type SpanAttributes } from '../../base/span.ts';
import type { CallWithin, StoreOperation } from '../../storage/observed-store.ts';
import type { ObjectListOptions, ObjectStorage, ReadVersion } from '../../storage/objects.ts';

/** Of a single read there is none: it belongs to that of the cache. */
const names: Readonly<Record<StoreOperation, string | undefined>> = {
  create: 'Create etcd3',
  delete: 'Delete etcd3',
  get: undefined,
  list: 'List(recursive=true) etcd3',
  listWithCount: 'Count etcd3',
  update: 'GuaranteedUpdate etcd3',
};

/** @param type `*core.Pod` */
export function traceStore(resource: string, type: string): CallWithin {
  return (operation, key, call, list) => {
    const parent = currentSpan();
    const name = names[operation];
    if (parent === undefined || name === undefined) return call();
    const about: SpanAttributes =
      operation === 'list'
        ? { resourceVersion: String(list?.revision ?? ''), limit: list?.limit ?? 0 }
        : { type, resource };
    return inChildSpan(parent, name, call, { 'audit-id': parent.auditId, key, ...about });
  };
}

const versionText = (version: ReadVersion): string =>
  version.match === 'mostRecent' ? '' : version.match === 'any' ? '0' : String(version.revision);

/** The same storage, whose reads are spans. @param resource `deployments.apps` */
export function traceReads(storage: ObjectStorage, resource: string): ObjectStorage {
  const get: ObjectStorage['get'] = (key, version, signal) => {
    const parent = currentSpan();
    const read = (): ReturnType<ObjectStorage['get']> => storage.get(key, version, signal);
    if (parent === undefined) return read();
    const about = { 'audit-id': parent.auditId, key, 'resource-version': versionText(version) };
    return inChildSpan(parent, 'cacher.Get', read, about);
  };
  const list = (options: ObjectListOptions): ReturnType<ObjectStorage['list']> => {
    const parent = currentSpan();
    const read = (): ReturnType<ObjectStorage['list']> => storage.list(options);
    if (parent === undefined) return read();
    return inChildSpan(parent, 'cacher.GetList', read, { 'audit-id': parent.auditId, type: resource });
  };
  const traced = { get, list } as const;
  // Methods of the storage work on it, and not on the proxy.
  return new Proxy(storage, {
    get(target, property) {
      if (property === 'get' || property === 'list') return traced[property];
      const value = Reflect.get(target, property, target) as unknown;
      return typeof value === 'function' ? (value as (...args: never[]) => unknown).bind(target) : value;
    },
  });
}
