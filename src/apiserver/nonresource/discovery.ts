/** Discovery as it is asked for: each document in the form that the client takes. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../machinery/value.ts';
import {
  aggregated,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  groupsOf,
  type Served,
} from '../discovery/documents.ts';
import { methodNotAllowed, noSuchResource } from '../request/request-errors.ts';
import { recordAnswer } from '../endpoints/audit-objects.ts';
import { firstAcceptable, json, negotiate, type NegotiateOptions } from '../request/negotiation.ts';
import { encodeMetaObject } from '../representation/meta-object.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import { notFoundPage } from '../../server/not-found-page.ts';
import type { ApiRequest, Handler } from '../request/request.ts';
import type { ServedApis } from '../served-apis.ts';

/** `/api` */
export const coreVersions =
  (served: Served, serverAddress: () => string, aggregated?: () => void): Handler =>
  async (request) =>
    aggregatedDocument(served, request, '/api', aggregated) ?? document(request, apiVersions(served, serverAddress()));

/** `/apis` */
export const groups =
  (served: Served, aggregated?: () => void): Handler =>
  async (request) =>
    aggregatedDocument(served, request, '/apis', aggregated) ?? document(request, apiGroupList(served));

/** `/api/<version>` */
export const versionOfCore =
  (served: Served): Handler =>
  async (request) => {
    const [, , version = ''] = request.path.split('/');
    return resourceList(served, request, version) ?? raise(noSuchResource());
  };

/** `/apis/<group>` and `/apis/<group>/<version>` */
export const groupOrVersion =
  (served: ServedApis): Handler =>
  async (request) => {
    const [, , group = '', version = ''] = request.path.split('/');
    if (!groupsOf(served).includes(group)) return notFoundPage;
    // A group document is served by a plain handler upstream: any method reads it.
    if (version === '') return document(request, apiGroup(served, group)!);
    return (
      resourceList(served, request, `${group}/${version}`) ??
      (served.isBuiltInGroup(group) ? raise(noSuchResource()) : notFoundPage)
    );
  };

/** `/` */
export const pathList =
  (paths: () => string[]): Handler =>
  async (request) =>
    document(request, { paths: paths() });

const wishes = (request: ApiRequest): Pick<NegotiateOptions, 'accept' | 'userAgent' | 'pretty'> => ({
  accept: request.header('accept'),
  userAgent: request.header('user-agent'),
  pretty: request.query.get('pretty'),
});

function document(request: ApiRequest, value: JsonObject): ApiResponse {
  const representation = negotiate({ ...wishes(request), convertible: () => false, isCollection: false });
  recordAnswer(request, () =>
    encodeMetaObject('v1', value['kind'] as string, value, { mediaType: json, pretty: false }),
  );
  return {
    status: 200,
    headers: { 'content-type': representation.mediaType },
    body: encodeMetaObject('v1', value['kind'] as string, value, representation),
  };
}

function raise(error: Error): never {
  throw error;
}

function resourceList(served: Served, request: ApiRequest, apiVersion: string): ApiResponse | undefined {
  const list = apiResourceList(served, apiVersion);
  if (list === undefined) return undefined;
  if (request.method !== 'GET') throw methodNotAllowed();
  return document(request, list);
}

/**
 * The aggregated form, when of what the client accepts it is the first that is served.
 *
 * @param made told of each that is made
 */
function aggregatedDocument(
  served: Served,
  request: ApiRequest,
  root: '/api' | '/apis',
  made: (() => void) | undefined,
): ApiResponse | undefined {
  const representation = firstAcceptable({ ...wishes(request), convertible: isAggregated });
  if (representation?.as === undefined) return undefined;
  const { mediaType, as, asVersion = '' } = representation;
  const list = aggregated(served, root, asVersion);
  made?.();
  const headers = {
    'content-type': `${mediaType};g=${aggregatedGroup};v=${asVersion};as=${as}`,
    vary: 'Accept',
    etag: etagOf(list),
    'cache-control': 'public',
  };
  if (request.header('if-none-match') === headers.etag) return { status: 304, headers };
  return { status: 200, headers, body: encodeMetaObject(`${aggregatedGroup}/${asVersion}`, as, list, representation) };
}

const aggregatedGroup = 'apidiscovery.k8s.io';

const isAggregated = (as: string, group: string, version: string): boolean =>
  as === 'APIGroupDiscoveryList' && group === aggregatedGroup && (version === 'v2' || version === 'v2beta1');

/** Of what is served alone: each form of it has the same one, and `Vary` tells them apart. */
function etagOf({ items }: JsonObject): string {
  const hash = createHash('sha512').update(JSON.stringify(items));
  return `"${hash.digest('hex').toUpperCase()}"`;
}
