import type { KubeObject } from '../../../machinery/object-meta.ts';
import { notFound } from '../../../machinery/status.ts';
import { ensureNamespace } from '../../../registry/generic/before-create.ts';
import type { WriteRequest } from '../../../registry/generic/write.ts';
import { checkName } from './update.ts';
import { updateObject as update } from '../../../registry/generic/update-object.ts';
import type { ApiResponse } from '../../../server/exchange.ts';
import type { ApiRequest } from '../../request/request.ts';
import { type EndpointContext, managerOf, writeRequest } from '../context.ts';
import { readBytes } from '../body.ts';
import { createPermission } from '../create-permission.ts';
import { admitChange, validateChange } from '../managed-fields.ts';
import { createPatch, patchType } from '../patch-body.ts';
import { recordPatch } from '../audit-objects.ts';
import { objectResponse, representationOf } from '../respond.ts';
import { isCustom, type ServedResource } from '../../served/served-resource.ts';
import { jsonBody, yamlBody } from '../text-body.ts';
import { patchParameters } from '../write-parameters.ts';

/**
 * PATCH of one object. The patch is applied to the object in the version of the request and once more after each
 * conflict.
 * @see {@link https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-apply | API Concepts: patch}
 */
export async function patchObject(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
): Promise<ApiResponse> {
  const representation = representationOf(request, served, false);
  const type = patchType(request.header('content-type'), isCustom(served));
  const parameters = patchParameters(request.query, type === 'apply');
  const manager = managerOf(request, 'PatchOptions');
  const bytes = await readBytes(context, request);
  const body = type === 'apply' ? await yamlBody(bytes) : jsonBody(bytes);
  recordPatch(request, body);
  const write = writeRequest(context, served, request, {
    kind: 'PatchOptions',
    dryRun: parameters.dryRun,
    options: parameters.options,
  });
  const patch = createPatch(type, body, {
    context,
    served,
    parameters,
    manager,
    warn: (text) => request.warn(text),
    now: write.context.now,
    subresource: write.subresource,
  });
  const mayCreate = createPermission(context, request);
  const result = await update(
    served.store!,
    {
      change: (current, copy) => {
        // Also where a PUT may create: there is nothing that the patch could be of.
        if (current === undefined && type !== 'apply') throw notFound(served.store!.groupResource, write.name);
        return changed(patch.apply(current, copy), write);
      },
      admit: (object, old) =>
        admitChange(context, served, request, write, object, old, patch.ownsItsFields ? undefined : manager),
      validate: async (object, old) => {
        if (old === undefined) await mayCreate();
        await validateChange(context, served, request, write, object, old);
      },
    },
    { allowCreate: type === 'apply' && write.subresource === '' },
    write,
  );
  return objectResponse(
    context,
    served,
    request,
    representation,
    result.action === 'created' ? 201 : 200,
    result.stored,
  );
}

/** A patch can change anything but what the object is called. */
function changed(object: KubeObject, write: WriteRequest): KubeObject {
  checkName(object, write.name);
  ensureNamespace(object, write.namespace);
  return object;
}
