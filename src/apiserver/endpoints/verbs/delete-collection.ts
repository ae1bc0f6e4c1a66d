import { badRequest, isStatusError } from '../../../machinery/status.ts';
import type { StoredObject } from '../../../storage/objects.ts';
import type { ApiResponse } from '../../../server/exchange.ts';
import type { ApiRequest } from '../../request/request.ts';
import { decodeContinueToken, encodeContinueToken } from '../continue-token.ts';
import type { EndpointContext } from '../context.ts';
import { readDeleteOptions } from '../delete-options.ts';
import { listParameters, validateListParameters } from '../list-parameters.ts';
import { listResponse, representationOf } from '../respond.ts';
import { selectionOf } from '../request-selectors.ts';
import type { ServedResource } from '../../served/served-resource.ts';
import { deleteOne } from './delete.ts';
import { listVersion } from './list.ts';

/**
 * DELETE of a collection: lists, then deletes each object with the same options, `--delete-collection-workers` at a
 * time. Answers with the list of what it went through. Objects that are gone already are no error; the first other
 * error ends it.
 */
export async function deleteCollection(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
): Promise<ApiResponse> {
  const representation = representationOf(request, served, true);
  const options = await readDeleteOptions(context, served, request);
  const parameters = listParameters(request.query, false);
  if (parameters.resourceVersion !== '' && !/^\d+$/.test(parameters.resourceVersion))
    throw badRequest(
      'invalid resource version: resourceVersion: Invalid ' +
        `value: ${JSON.stringify(parameters.resourceVersion)}: strconv.ParseUint: ` +
        `parsing ${JSON.stringify(parameters.resourceVersion)}: invalid syntax`,
    );
  validateListParameters(parameters, context.featureEnabled('WatchList'));
  const { selection, hasSelector } = await selectionOf(served, request);
  const store = served.store!;
  const token =
    parameters.continueToken === '' ? undefined : decodeContinueToken(parameters.continueToken, store.layout.prefix);
  const page = await store.list({
    version:
      token === undefined
        ? listVersion(parameters)
        : token.revision > 0
          ? { match: 'exact', revision: token.revision }
          : { match: 'mostRecent' },
    selection,
    ...(token === undefined ? {} : { after: token.after }),
    ...(parameters.limit > 0 ? { limit: parameters.limit } : {}),
  });
  // A version that the caller names also stands as a precondition of every deletion, as upstream has it.
  const own =
    parameters.resourceVersion === ''
      ? options
      : { ...options, preconditions: { ...options.preconditions, resourceVersion: parameters.resourceVersion } };
  await inParallel(page.objects, context.deleteCollectionWorkers, async (stored) => {
    const { name, namespace } = stored.attributes;
    await deleteOne(context, served, request, name, own, namespace).catch(ignoreNotFound);
  });
  return listResponse(context, served, request, representation, {
    revision: page.revision,
    objects: page.objects,
    ...(page.lastKey === undefined
      ? {}
      : { continueToken: encodeContinueToken(page.lastKey, store.layout.prefix, page.revision) }),
    ...(page.remaining === undefined || hasSelector ? {} : { remaining: page.remaining }),
  });
}

function ignoreNotFound(error: unknown): void {
  if (!isStatusError(error) || error.reason !== 'NotFound') throw error;
}

async function inParallel(
  objects: readonly StoredObject[],
  workers: number,
  work: (object: StoredObject) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < objects.length) await work(objects[next++]!);
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(workers, objects.length)) }, worker));
}
