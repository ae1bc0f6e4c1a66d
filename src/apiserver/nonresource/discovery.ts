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
import { json, negotiate, parseAccept } from '../request/negotiation.ts';
import { encodeMetaObject } from '../representation/meta-object.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import { notFoundPage } from '../../server/not-found-page.ts';
import type { ApiRequest, Handler } from '../request/request.ts';
import type { ServedApis } from '../served-apis.ts';

/** `/api` */
export const coreVersions =
  (served: Served, serverAddress: () => string): Handler =>
  async (request) =>
    aggregatedDocument(served, request, '/api') ?? document(request, apiVersions(served, serverAddress()));

/** `/apis` */
export const groups =
  (served: Served): Handler =>
  async (request) =>
    aggregatedDocument(served, request, '/apis') ?? document(request, apiGroupList(served));

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

function document(request: ApiRequest, value: JsonObject): ApiResponse {
  const representation = negotiate({
    accept: request.header('accept'),
    userAgent: request.header('user-agent'),
    pretty: request.query.get('pretty'),
    convertible: () => false,
    isCollection: false,
  });
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

/** The aggregated form, when the client asks for it before any other that is served. */
function aggregatedDocument(served: Served, request: ApiRequest, root: '/api' | '/apis'): ApiResponse | undefined {
  const accept = request.header('accept') ?? '';
  for (const { type, parameters } of accept === '' ? [] : parseAccept(accept)) {
    const as = parameters.get('as');
    if (as === undefined) return undefined;
    const version = parameters.get('v') ?? '';
    if (
      as !== 'APIGroupDiscoveryList' ||
      parameters.get('g') !== 'apidiscovery.k8s.io' ||
      (version !== 'v2' && version !== 'v2beta1') ||
      type !== json
    )
      continue;
    const body = JSON.stringify(aggregated(served, root, version));
    const etag = `"${createHash('sha512').update(body).digest('hex').toUpperCase()}"`;
    const headers = {
      'content-type': `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
      vary: 'Accept',
      etag,
      'cache-control': 'public',
    };
    return request.header('if-none-match') === etag ? { status: 304, headers } : { status: 200, headers, body };
  }
  return undefined;
}
