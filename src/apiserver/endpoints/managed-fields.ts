/** Field ownership and admission of a change to an object that may already be there. */
import { readManagers } from '../../machinery/managed-fields/manager-table.ts';
import { type KubeObject, type ManagedFieldsEntry, metaOf } from '../../machinery/object-meta.ts';
import { settled } from '../../registry/generic/pending.ts';
import type { WriteRequest } from '../../registry/generic/write.ts';
import type { ApiRequest } from '../request/request.ts';
import { attributesOf } from './admit.ts';
import type { EndpointContext } from './context.ts';
import { managedFieldsVersions } from './managed-fields-versions.ts';
import { isScale, managedFieldsOfScaled, withManagedFields } from './managed-scale.ts';
import type { ServedResource } from '../served/served-resource.ts';

const operationOf = (old: KubeObject | undefined): 'CREATE' | 'UPDATE' => (old === undefined ? 'CREATE' : 'UPDATE');

/** @param manager undefined when ownership is settled already (apply) */
export async function admitChange(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
  write: WriteRequest,
  object: KubeObject,
  old: KubeObject | undefined,
  manager: string | undefined,
): Promise<void> {
  if (manager !== undefined) await settled(() => updateManagedFields(context, served, write, object, old, manager));
  const before = object.metadata?.managedFields;
  await context.admission.admit(attributesOf(context, served, request, write, operationOf(old), object, old));
  if (object.metadata?.managedFields !== before) checkManagedFields(object, before, write);
}

/** Admission may change who owns what, but not so that it cannot be read. */
function checkManagedFields(object: KubeObject, before: ManagedFieldsEntry[] | undefined, write: WriteRequest): void {
  try {
    readManagers(object.metadata?.managedFields);
  } catch (error) {
    setManagedFields(object, before);
    write.warn(
      '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating ' +
        `admission controller; please fix your requests: ${(error as Error).message}`,
    );
  }
}

/** Records which manager changed which fields since `old`. */
export function updateManagedFields(
  context: EndpointContext,
  served: ServedResource,
  write: WriteRequest,
  object: KubeObject,
  old: KubeObject | undefined,
  manager: string,
): void {
  const { servedVersion, store } = served;
  if (isScale(served)) return setManagedFields(object, afterScale(context, served, write, object, old!, manager));
  // Ownership is booked in the version of the request.
  const shown = (value: KubeObject): KubeObject => (servedVersion.isStored ? value : servedVersion.fromStored(value));
  const managedFields = context.fieldManager.update({
    live: old === undefined ? undefined : shown(old),
    object: shown(object),
    manager,
    subresource: write.subresource,
    apiVersion: servedVersion.apiVersion,
    typeId: servedVersion.custom?.mergeType ?? servedVersion.typeId,
    now: write.context.now,
    resetFields: store!.strategyOf(write.subresource).resetFields ?? [],
    ...managedFieldsVersions(served),
  });
  setManagedFields(object, managedFields);
}

export function setManagedFields(object: KubeObject, managed: ManagedFieldsEntry[] | undefined): void {
  if (managed === undefined) delete metaOf(object).managedFields;
  else metaOf(object).managedFields = managed;
}

/** Changes are booked in the Scale first, and what its managers got or lost there is carried over to the object. */
function afterScale(
  context: EndpointContext,
  served: ServedResource,
  write: WriteRequest,
  object: KubeObject,
  old: KubeObject,
  manager: string,
): ManagedFieldsEntry[] | undefined {
  const { servedVersion } = served;
  const managedFields = context.fieldManager.update({
    live: withManagedFields(served, servedVersion.fromStored(old), old),
    object: servedVersion.fromStored(object),
    manager,
    subresource: write.subresource,
    apiVersion: servedVersion.apiVersion,
    typeId: servedVersion.typeId,
    now: write.context.now,
    resetFields: [],
  });
  return managedFieldsOfScaled(served, old, managedFields);
}

export function validateChange(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
  write: WriteRequest,
  object: KubeObject,
  old: KubeObject | undefined,
): Promise<void> {
  return context.admission.validate(attributesOf(context, served, request, write, operationOf(old), object, old));
}
