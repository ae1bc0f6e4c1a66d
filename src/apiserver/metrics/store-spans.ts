/** Spans of calls of the store, under the names that upstream has for those of etcd. */
import { currentSpan } from '../../base/span.ts';
import type { StoreObserver, StoreOperation } from '../../storage/observed-store.ts';

const names: Readonly<Record<StoreOperation, string>> = {
  create: 'Create etcd3',
  delete: 'Delete etcd3',
  get: 'Get etcd3',
  list: 'List(recursive=true) etcd3',
  listWithCount: 'Count etcd3',
  update: 'GuaranteedUpdate etcd3',
};

/** @param observe what is told of each call besides */
export const traceStore =
  (resource: string, observe: StoreObserver): StoreObserver =>
  (operation, milliseconds, failed) => {
    observe(operation, milliseconds, failed);
    const span = currentSpan()?.child(names[operation], { resource }, performance.now() - milliseconds);
    if (failed) span?.fail('the call failed');
    span?.end();
  };
