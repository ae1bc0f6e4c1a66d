import type { KubeObject } from '../../../machinery/object-meta.ts';
import { deleteObject as remove, type DeleteResult } from '../../../registry/generic/delete.ts';
import type { ApiResponse } from '../../../server/exchange.ts';
import type { ApiRequest } from '../../request/request.ts';
import { attributesOf } from '../admit.ts';
import { type EndpointContext, writeRequest } from '../context.ts';
import { readDeleteOptions } from '../delete-options.ts';
import { metaResponse, objectResponse, representationOf, representationOfStatus } from '../respond.ts';
import type { ServedResource } from '../../served/served-resource.ts';
import type { DeleteOptions } from '../../../registry/generic/graceful-deletion.ts';

/**
 * DELETE of one object: a Status when it is gone (the object for some kinds), the object when it waits for its
 * finalizers.
 */
export async function deleteObject(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
): Promise<ApiResponse> {
  const representation = representationOf(request, served, false);
  const options = await readDeleteOptions(context, served, request);
  const result = await deleteOne(context, served, request, request.info.name, options);
  const accepted = result.action !== 'removed' && options.orphanDependents === false;
  if (result.action !== 'removed' || served.store!.definition.returnDeletedObject === true)
    return objectResponse(context, served, request, representation, accepted ? 202 : 200, result.stored);
  return metaResponse(request, representationOfStatus(request), 200, 'v1', 'Status', deletedStatus(served, result));
}

export async function deleteOne(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
  name: string,
  options: DeleteOptions,
  namespace?: string,
): Promise<DeleteResult> {
  const dryRun = (options.dryRun?.length ?? 0) > 0;
  const base = writeRequest(context, served, request, { kind: 'DeleteOptions', dryRun, options: { ...options } });
  const write = { ...base, name, ...(namespace === undefined ? {} : { namespace }) };
  // Objects of a collection have no name in their requests.
  const named = { ...write, name: request.info.name };
  const validate = async (object: KubeObject): Promise<void> => {
    const seen = { ...named, options: { ...named.options, ...preconditionsOf(served, options, object) } };
    const attributes = attributesOf(context, served, request, seen, 'DELETE', undefined, object);
    await context.admission.admit(attributes);
    await context.admission.validate(attributes);
  };
  return remove(served.store!, options, validate, write);
}

/** Kinds that begin their deletion with a write of their own pin the object that is meant. */
function preconditionsOf(
  { store }: ServedResource,
  { preconditions }: DeleteOptions,
  { metadata }: KubeObject,
): object {
  if (store!.resource.beginDeletion === undefined) return {};
  return { preconditions: { uid: metadata?.uid, ...preconditions } };
}

function deletedStatus({ store }: ServedResource, { stored, uid }: DeleteResult): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: stored.attributes.name,
      ...(store!.group === '' ? {} : { group: store!.group }),
      kind: store!.resourceName,
      uid,
    },
  };
}
