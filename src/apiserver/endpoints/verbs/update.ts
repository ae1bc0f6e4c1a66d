import { type KubeObject, metaOf } from '../../../machinery/object-meta.ts';
import { badRequest } from '../../../machinery/status.ts';
import { ensureNamespace } from '../../../registry/generic/before-create.ts';
import { updateObject as update } from '../../../registry/generic/update-object.ts';
import type { ApiResponse } from '../../../server/exchange.ts';
import type { ApiRequest } from '../../request/request.ts';
import { readBody } from '../body.ts';
import { type EndpointContext, managerOf, writeRequest } from '../context.ts';
import { createPermission } from '../create-permission.ts';
import { admitChange, validateChange } from '../managed-fields.ts';
import { recordObject } from '../audit-objects.ts';
import { objectResponse, representationOf } from '../respond.ts';
import type { ServedResource } from '../../served/served-resource.ts';
import { updateParameters } from '../write-parameters.ts';

/** PUT of one object, or of a subresource of the same kind (`status`). */
export async function updateObject(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
): Promise<ApiResponse> {
  const representation = representationOf(request, served, false);
  const parameters = updateParameters(request.query);
  const manager = managerOf(request, 'UpdateOptions');
  const body = await readBody(context, request);
  const write = writeRequest(context, served, request, {
    kind: 'UpdateOptions',
    dryRun: parameters.dryRun,
    options: parameters.options,
  });
  // Decoded once per attempt: the steps behind change the object, and a second attempt must start from what was sent.
  const decode = (): KubeObject => {
    const object = body.decode(served, parameters.fieldValidation, (text) => request.warn(text));
    recordObject(request, served.servedVersion, object);
    ensureNamespace(object, write.namespace);
    checkName(object, write.name);
    return object;
  };
  let first: KubeObject | undefined = decode();
  const uid = first.metadata?.uid ?? '';
  const wanted = (_current: KubeObject | undefined, copy: () => KubeObject): KubeObject => {
    const object = first ?? decode();
    first = undefined;
    return served.servedVersion.toStored(object, copy);
  };
  const mayCreate = createPermission(context, request);
  const result = await update(
    served.store!,
    {
      change: wanted,
      admit: (object, old) => admitChange(context, served, request, write, object, old, manager),
      validate: async (object, old) => {
        if (old === undefined) await mayCreate();
        await validateChange(context, served, request, write, object, old);
      },
    },
    { allowCreate: false, ...(uid === '' ? {} : { preconditions: { uid } }) },
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

/** The object must be the one that the URL names. Throws 400. */
export function checkName(object: KubeObject, name: string): void {
  const own = metaOf(object).name ?? '';
  if (own === '')
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (own !== name) throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
}
