/** Field ownership and admission of a change to an object that may already be there. */
import { type KubeObject, metaOf } from '../../machinery/object-meta.ts';
import type { WriteRequest } from '../../registry/generic/write.ts';
import type { ApiRequest } from '../request.ts';
import { attributesOf } from './admit.ts';
import type { EndpointContext } from './context.ts';
import { ownershipVersions } from './ownership-versions.ts';
import type { ServedResource } from './served.ts';

const operationOf = (old: KubeObject | undefined): 'CREATE' | 'UPDATE' => (old === undefined ? 'CREATE' : 'UPDATE');

/** @param manager undefined when ownership is settled already (apply) */
export async function admitChange(context: EndpointContext, served: ServedResource, request: ApiRequest, write: WriteRequest, object: KubeObject, old: KubeObject | undefined, manager: string | undefined): Promise<void> {
  if (manager !== undefined) takeOwnership(context, served, write, object, old, manager);
  await context.admission.admit(attributesOf(served, request, write, operationOf(old), object, old));
}

/** Records who changed which fields since `old`. */
export function takeOwnership(context: EndpointContext, served: ServedResource, write: WriteRequest, object: KubeObject, old: KubeObject | undefined, manager: string): void {
  const { form, store, info } = served;
  // Ownership is booked in the version of the request; a Scale changes fields of the object behind it.
  const isPart = form.kind !== info.kind;
  const shown = (value: KubeObject): KubeObject => (form.isStored || isPart ? value : form.fromStored(value));
  const owned = context.fieldManager.update({
    live: old === undefined ? undefined : shown(old), object: shown(object), manager, subresource: write.subresource,
    apiVersion: isPart ? info.apiVersion : form.apiVersion, typeId: isPart ? store!.storedType : form.typeId,
    now: write.context.now, resetFields: store!.strategyOf(write.subresource).resetFields ?? [], ...ownershipVersions(served),
  });
  const managed = owned.metadata?.managedFields;
  if (managed === undefined) delete metaOf(object).managedFields;
  else metaOf(object).managedFields = managed;
}

export function validateChange(context: EndpointContext, served: ServedResource, request: ApiRequest, write: WriteRequest, object: KubeObject, old: KubeObject | undefined): Promise<void> {
  return context.admission.validate(attributesOf(served, request, write, operationOf(old), object, old));
}
