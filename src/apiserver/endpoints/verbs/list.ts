import { expiredContinue, isResourceExpired } from '../../../machinery/resource-expired.ts';
import { badRequest } from '../../../machinery/status.ts';
import type { ReadVersion } from '../../../storage/objects.ts';
import type { ApiResponse } from '../../../server/exchange.ts';
import type { ApiRequest } from '../../request/request.ts';
import { decodeContinueToken, encodeContinueToken, type ContinueToken } from '../continue-token.ts';
import type { EndpointContext } from '../context.ts';
import {
  listParameters,
  type ListParameters,
  parseResourceVersion,
  validateListParameters,
} from '../list-parameters.ts';
import { readSignal } from '../read-signal.ts';
import { listResponse, representationOf } from '../respond.ts';
import { selectionOf } from '../request-selectors.ts';
import type { ServedResource } from '../../served/served-resource.ts';

/**
 * GET of a collection: one snapshot, whole or in pages.
 * @see {@link https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list | Semantics for
 *   get and list}
 */
export async function listObjects(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
): Promise<ApiResponse> {
  const representation = representationOf(request, served, true);
  const parameters = listParameters(request.query, false);
  validateListParameters(parameters, context.featureEnabled('WatchList'));
  const { selection, hasSelector } = await selectionOf(served, request);
  const store = served.store!;
  const token = parameters.continueToken === '' ? undefined : decodeToken(parameters, store.layout.prefix);
  const page = await readPage().catch((error: unknown) => {
    throw token !== undefined && isResourceExpired(error)
      ? expiredContinue(encodeContinueToken(token.after, store.layout.prefix, -1))
      : error;
  });
  const { lastKey, remaining } = page;
  return listResponse(context, served, request, representation, {
    revision: page.revision,
    objects: page.objects,
    ...(lastKey === undefined
      ? {}
      : { continueToken: encodeContinueToken(lastKey, store.layout.prefix, page.revision) }),
    ...(remaining === undefined || hasSelector ? {} : { remaining }),
  });

  function readPage(): ReturnType<typeof store.list> {
    const version = token === undefined ? listVersion(parameters) : tokenVersion(token);
    const signal = readSignal(store, request);
    return store.list({
      version,
      ...(signal === undefined ? {} : { signal }),
      selection,
      ...(token === undefined ? {} : { after: token.after }),
      // At version 0 the reference answers whole, whatever the limit: so much is at hand.
      ...(parameters.limit > 0 && !(token === undefined && version.match === 'any') ? { limit: parameters.limit } : {}),
    });
  }
}

function decodeToken({ continueToken, resourceVersion }: ListParameters, prefix: string): ContinueToken {
  const token = decodeContinueToken(continueToken, prefix);
  if (resourceVersion !== '' && resourceVersion !== '0')
    throw badRequest('specifying resource version is not allowed when using continue');
  return token;
}

const tokenVersion = ({ revision }: ContinueToken): ReadVersion =>
  revision > 0 ? { match: 'exact', revision } : { match: 'mostRecent' };

/** The table of API Concepts, row by row. */
export function listVersion({ resourceVersion, resourceVersionMatch, limit }: ListParameters): ReadVersion {
  if (resourceVersion === '') return { match: 'mostRecent' };
  const revision = parseResourceVersion(resourceVersion);
  if (resourceVersionMatch === 'Exact') return { match: 'exact', revision };
  if (revision === 0) return { match: 'any' };
  if (resourceVersionMatch === '' && limit > 0) return { match: 'exact', revision };
  return { match: 'notOlderThan', revision };
}
