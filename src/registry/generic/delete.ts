import { type KubeObject, metaOf, type ObjectMeta } from '../../machinery/object-meta.ts';
import { conflict, notFound } from '../../machinery/status.ts';
import { applyDeletion, type DeleteOptions } from './graceful-deletion.ts';
import type { ResourceStore } from './resource-store.ts';
import { readModifyWrite, removeWritten, type SwapResult } from './update.ts';
import type { WriteRequest } from './write.ts';

/** Admission of the deletion, on the object as it is; asked again about what was marked before it is removed. */
export type ValidateDelete = (object: KubeObject) => Promise<void>;

export interface DeleteResult extends SwapResult {
  readonly uid: string;
}

/**
 * Deletes one object, or writes it as finalizing. `action` is `removed` when it is gone, `written` when it waits for
 * its finalizers or grace period, `unchanged` when that was already so.
 */
export async function deleteObject(
  store: ResourceStore,
  options: DeleteOptions,
  validate: ValidateDelete,
  request: WriteRequest,
): Promise<DeleteResult> {
  const result = await markOrRemove(store, options, validate, request);
  return result.removedAt === undefined
    ? result
    : { ...result, stored: { ...result.stored, revision: result.removedAt } };
}

async function markOrRemove(
  store: ResourceStore,
  options: DeleteOptions,
  validate: ValidateDelete,
  request: WriteRequest,
): Promise<DeleteResult> {
  const key = store.key(request.namespace, request.name);
  const rules = { strategy: store.resource, context: request.context, garbageCollection: store.garbageCollection };
  let removeNext = false;
  let uid = '';
  const result = await readModifyWrite(
    store,
    key,
    async (current) => {
      // Decided anew when another writer was faster: the object may be another one by then.
      removeNext = false;
      if (current === undefined) throw notFound(store.groupResource, request.name);
      checkDeletePreconditions(store, current, options, request.name);
      uid = metaOf(current).uid ?? '';
      await validate(current);
      const step = applyDeletion(current, options, rules);
      if (step === 'pending') return { action: 'keep', object: current };
      if (step === 'remove')
        return { action: 'remove', ...(store.definition.returnDeletedObject === true ? { object: current } : {}) };
      removeNext = step === 'markThenRemove';
      return { action: 'write', object: current };
    },
    request,
  );
  // A graceful kind that goes at once is marked first, so that watchers see its deletion timestamp.
  if (!removeNext || result.action === 'removed') return { ...result, uid };
  if (!request.dryRun) await validate(store.decode(result.stored));
  const removed = request.dryRun ? undefined : await removeWritten(store, result.stored, uid, request);
  // Between mark and removal the node's agent may have removed it: that is the end we wanted.
  return { ...(removed ?? { action: 'removed', stored: result.stored }), uid };
}

function checkDeletePreconditions(
  store: ResourceStore,
  object: KubeObject,
  { preconditions }: DeleteOptions,
  name: string,
): void {
  const meta = metaOf(object);
  if (store.resource.beginDeletion !== undefined) return checkStoredPreconditions(store, meta, preconditions, name);
  const about = { group: store.group, resource: store.kind.kind };
  if (preconditions?.uid !== undefined && preconditions.uid !== meta.uid) {
    throw conflict(
      about,
      name,
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record ` +
        `(${meta.uid ?? ''}). The object might have been deleted and then recreated`,
    );
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== meta.resourceVersion) {
    throw conflict(
      about,
      name,
      `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ` +
        `ResourceVersion in record (${meta.resourceVersion ?? ''}). The object might have been modified`,
    );
  }
}

/**
 * Kinds that begin their deletion with a write of their own have the precondition judged by that write, which says it
 * otherwise.
 */
function checkStoredPreconditions(
  store: ResourceStore,
  { uid, resourceVersion }: ObjectMeta,
  preconditions: DeleteOptions['preconditions'],
  name: string,
): void {
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    throw conflict(
      store.groupResource,
      name,
      `Precondition failed: UID in precondition: ${preconditions.uid}, UID in object meta: ${uid ?? ''}`,
    );
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    throw conflict(
      store.groupResource,
      name,
      `Precondition failed: ResourceVersion in precondition: ${preconditions.resourceVersion}, ResourceVersion ` +
        `in object meta: ${resourceVersion ?? ''}`,
    );
  }
}
