import { ensureNamespace, wipeSystemFields } from '../../../registry/generic/before-create.ts';
import { createObject as create } from '../../../registry/generic/create.ts';
import type { ApiResponse } from '../../../server/exchange.ts';
import type { ApiRequest } from '../../request/request.ts';
import { readBody } from '../body.ts';
import { type EndpointContext, managerOf, writeRequest } from '../context.ts';
import { admitChange, validateChange } from '../managed-fields.ts';
import { recordObject } from '../audit-objects.ts';
import { objectResponse, representationOf } from '../respond.ts';
import type { ServedResource } from '../../served/served-resource.ts';
import { createParameters } from '../write-parameters.ts';

/** POST to a collection: 201 with the new object. */
export async function createObject(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
): Promise<ApiResponse> {
  const representation = representationOf(request, served, false);
  const store = served.store!;
  const parameters = createParameters(request.query);
  const manager = managerOf(request, 'CreateOptions');
  const body = await readBody(context, request);
  const submitted = body.decode(served, parameters.fieldValidation, (text) => request.warn(text));
  recordObject(request, served.servedVersion, submitted);
  const write = writeRequest(context, served, request, {
    kind: 'CreateOptions',
    dryRun: parameters.dryRun,
    options: parameters.options,
  });
  wipeSystemFields(submitted);
  ensureNamespace(submitted, write.namespace);
  const object = served.servedVersion.toStored(submitted, () => ({}));
  const result = await create(
    store,
    object,
    {
      admit: (candidate) => admitChange(context, served, request, write, candidate, undefined, manager),
      validate: (candidate) => validateChange(context, served, request, write, candidate, undefined),
    },
    write,
  );
  // @NOTE differs from upstream: audit is told the name that was generated.
  request.audit?.completeReference({ name: result.stored.attributes.name });
  return objectResponse(context, served, request, representation, 201, result.stored);
}
