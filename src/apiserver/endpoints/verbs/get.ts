import type { ApiResponse } from '../../../server/exchange.ts';
import type { ApiRequest } from '../../request/request.ts';
import type { EndpointContext } from '../context.ts';
import { getVersion } from '../list-parameters.ts';
import { readSignal } from '../read-signal.ts';
import { objectResponse, representationOf } from '../respond.ts';
import type { ServedResource } from '../../served/served-resource.ts';

/**
 * GET of one object. @see {@link
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list | Semantics for get}
 */
export async function getObject(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
): Promise<ApiResponse> {
  const representation = representationOf(request, served, false);
  const { namespace, name } = request.info;
  const store = served.store!;
  const stored = await store.get(namespace, name, getVersion(request.query), readSignal(store, request));
  return objectResponse(context, served, request, representation, 200, stored);
}
