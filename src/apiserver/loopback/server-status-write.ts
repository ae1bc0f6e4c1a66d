/** Field ownership of a status that the server itself writes: a charged quota, a budget that an eviction used. */
import type { FieldManager } from '../../machinery/managed-fields/field-manager.ts';
import { type KubeObject, metaOf } from '../../machinery/object-meta.ts';
import type { ResourceStore } from '../../registry/generic/resource-store.ts';

const manager = 'kube-apiserver';

/** @param live the object as it was; `object` gets the new managed fields */
export function ownStatusWrite(
  fieldManager: FieldManager,
  store: ResourceStore,
  { live, object, now }: { readonly live: KubeObject; readonly object: KubeObject; readonly now: Date },
): void {
  const managedFields = fieldManager.update({
    live,
    object,
    manager,
    subresource: 'status',
    apiVersion: store.storageVersion,
    typeId: store.storedType,
    now,
    resetFields: store.strategyOf('status').resetFields ?? [],
  });
  if (managedFields !== undefined) metaOf(object).managedFields = managedFields;
}
