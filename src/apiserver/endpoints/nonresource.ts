/** Paths that are no resources: discovery, version, health, metrics, OpenAPI. */
import { createHash } from 'node:crypto';
import type { VersionInfo } from '../../base/version.ts';
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
import { type HealthChecks, type HealthEndpoint, type HealthLog, serveHealth } from '../health.ts';
import { json, negotiate, parseAccept, routeNotAcceptable } from '../negotiation.ts';
import { encodeMetaObject } from '../representation/meta-object.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import type { ApiRequest, Handler } from '../request.ts';
import type { ServedApis } from '../served-apis.ts';
import { methodNotAllowed, noSuchResource, notFoundPage } from './request-errors.ts';
import { recordAnswer } from './record.ts';

export interface NonResourceOptions {
  readonly served: ServedApis;
  readonly version: VersionInfo;
  readonly health: HealthChecks;
  readonly log: HealthLog;
  /** `host:port` that `/api` tells clients. */
  readonly serverAddress: () => string;
  /** Exact paths and prefixes (ending with `/`) served elsewhere: `/metrics`, `/openapi/v2`, `/openapi/v3`, … */
  readonly extra: ReadonlyMap<string, Handler>;
}

export function createNonResource(options: NonResourceOptions): Handler {
  const roots = new Map<string, Handler>([
    ['/version', (request) => Promise.resolve(version(options, request))],
    ...options.extra,
  ]);
  return async (request) => {
    const path =
      request.path.length > 2 &&
      request.path.endsWith('/') &&
      !request.path.startsWith('/livez') &&
      !request.path.startsWith('/readyz') &&
      !request.path.startsWith('/healthz')
        ? request.path.slice(0, -1)
        : request.path;
    const segments = path.split('/').slice(1);
    const first = segments[0] ?? '';
    if (first === 'api') return discovery(options, request, segments);
    if (first === 'apis') {
      await options.served.known();
      return discovery(options, request, segments);
    }
    if (first === 'healthz' || first === 'livez' || first === 'readyz')
      return serveHealth(first as HealthEndpoint, path, options.health, request, options.log);
    const handler =
      roots.get(path) ?? [...roots].find(([prefix]) => prefix.endsWith('/') && path.startsWith(prefix))?.[1];
    if (handler !== undefined) return handler(request);
    return path === '/' || path === '/index.html' ? rootPaths(options, request) : notFoundPage;
  };
}

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

function discovery(options: NonResourceOptions, request: ApiRequest, segments: readonly string[]): ApiResponse {
  const { served } = options;
  const [root, group = '', version = ''] = segments;
  const isGet = request.method === 'GET';
  if (segments.length === 1) {
    if (!isGet) throw methodNotAllowed();
    return (
      aggregatedDocument(served, request, `/${root}` as '/api' | '/apis') ??
      document(request, root === 'api' ? apiVersions(served, options.serverAddress()) : apiGroupList(served))
    );
  }
  if (root === 'api') return resourceList(served, request, group, isGet) ?? raise(noSuchResource());
  if (!groupsOf(served).includes(group)) return notFoundPage;
  // A group document is served by a plain handler upstream: any method reads it.
  if (version === '') return document(request, apiGroup(served, group)!);
  return (
    resourceList(served, request, `${group}/${version}`, isGet) ??
    (served.isBuiltInGroup(group) ? raise(noSuchResource()) : notFoundPage)
  );
}

function raise(error: Error): never {
  throw error;
}

function resourceList(
  served: Served,
  request: ApiRequest,
  apiVersion: string,
  isGet: boolean,
): ApiResponse | undefined {
  const list = apiResourceList(served, apiVersion);
  if (list === undefined) return undefined;
  if (!isGet) throw methodNotAllowed();
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

function version({ version: info }: NonResourceOptions, request: ApiRequest): ApiResponse {
  if (request.method !== 'GET') throw methodNotAllowed();
  const accept = request.header('accept') ?? '';
  if (accept !== '' && !parseAccept(accept).some(({ type }) => type === '*/*' || type === json))
    throw routeNotAcceptable([json]);
  return { status: 200, headers: { 'content-type': json }, body: JSON.stringify(info, undefined, 2) };
}

const healthEndpoints: readonly HealthEndpoint[] = ['healthz', 'livez', 'readyz'];

/** Everything that can be asked for, as a list of paths. */
function rootPaths({ served, health, extra }: NonResourceOptions, request: ApiRequest): ApiResponse {
  const checks = healthEndpoints.flatMap((endpoint) => [
    `/${endpoint}`,
    ...health[endpoint].map(({ name }) => `/${endpoint}/${name}`),
  ]);
  const groups = groupsOf(served).map((group) => `/apis/${group}`);
  const versions = served.groupVersions.map(({ group, apiVersion }) =>
    group === '' ? `/api/${apiVersion}` : `/apis/${apiVersion}`,
  );
  const others = [...extra.keys()].map((path) => (path.endsWith('/') ? path.slice(0, -1) : path));
  const paths = [...new Set(['/api', '/apis', '/version', ...groups, ...versions, ...checks, ...others])].sort();
  return document(request, { paths });
}
