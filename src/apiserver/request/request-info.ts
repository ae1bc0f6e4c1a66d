import { queryFlag } from './query.ts';

/**
 * What a URL means, by upstream's rules: `/api/v1/namespaces/{ns}/{resource}/{name}/{subresource}` and friends.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/authorization/#review-your-request-attributes |
 *   request attributes}
 */
export interface RequestInfo {
  readonly isResourceRequest: boolean;
  readonly path: string;
  /** API verb (`get`, `list`, `watch`, `create`, …), or the lower-case method of a non-resource request. */
  readonly verb: string;
  readonly prefix: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Path segments from the resource on. */
  readonly parts: readonly string[];
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

const verbOfMethod: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Subresources of a namespace itself; anything else below a namespace is a resource in it. */
const namespaceSubresources = new Set(['status', 'finalize']);

/**
 * What a path says. Literals of one shape throughout: this runs for every request, and copying members would be most of
 * it.
 */
interface Place {
  verb: string;
  readonly prefix: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly parts: readonly string[];
}

/** @param path the decoded path; a segment without characters is one that names nothing */
export function parseRequestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const place = placeOf(method, path);
  if (place === undefined) return nonResource(method, path);
  const { prefix, group, version, namespace, parts } = place;
  const [resource = '', name = '', subresource = ''] = parts;
  if (name !== '' && place.verb !== 'watch') {
    return {
      isResourceRequest: true,
      path,
      verb: place.verb,
      prefix,
      group,
      version,
      namespace,
      resource,
      subresource,
      name,
      parts,
      fieldSelector: '',
      labelSelector: '',
    };
  }
  const on = onCollection(place.verb, name, query);
  return {
    isResourceRequest: true,
    path,
    verb: on.verb,
    prefix,
    group,
    version,
    namespace,
    resource,
    subresource,
    name: on.name,
    parts,
    fieldSelector: on.fieldSelector,
    labelSelector: on.labelSelector,
  };
}

function placeOf(method: string, path: string): Place | undefined {
  if (!path.startsWith('/') || path.startsWith('//')) return undefined;
  const segments = withoutLastSlashes(path).slice(1).split('/');
  const prefix = segments[0] ?? '';
  if ((prefix !== 'api' && prefix !== 'apis') || segments.length < (prefix === 'api' ? 3 : 4)) return undefined;
  let at = prefix === 'api' ? 2 : 3;
  let verb = verbOfMethod[method] ?? '';
  if (segments[at] === 'watch' && segments.length > at + 1) {
    verb = 'watch';
    at++;
  }
  let namespace = '';
  if (segments[at] === 'namespaces' && segments.length > at + 1) {
    namespace = segments[at + 1]!;
    if (segments.length > at + 2 && !namespaceSubresources.has(segments[at + 2]!)) at += 2;
  }
  return {
    verb,
    prefix,
    group: prefix === 'api' ? '' : segments[1]!,
    version: segments[prefix === 'api' ? 1 : 2]!,
    namespace,
    parts: segments.slice(at),
  };
}

function withoutLastSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path.charCodeAt(end - 1) === 47) end--;
  return path.slice(0, end);
}

/** Requests without a name are about the collection; `metadata.name` in the field selector names the object again. */
function onCollection(
  verb: string,
  pathName: string,
  query: URLSearchParams,
): Pick<RequestInfo, 'verb' | 'name' | 'fieldSelector' | 'labelSelector'> {
  const isRead = verb === 'get' || verb === 'watch';
  const isDelete = verb === 'delete';
  if (!isRead && !isDelete) return { verb, name: pathName, fieldSelector: '', labelSelector: '' };
  const fieldSelector = query.get('fieldSelector') ?? '';
  const labelSelector = query.get('labelSelector') ?? '';
  if (isDelete) return { verb: 'deletecollection', name: '', fieldSelector, labelSelector };
  const name = pathName === '' ? (/(?:^|,)metadata\.name==?([^,=!]+)(?:,|$)/.exec(fieldSelector)?.[1] ?? '') : pathName;
  return { verb: verb === 'watch' || isWatch(query) ? 'watch' : 'list', name, fieldSelector, labelSelector };
}

const isWatch = (query: URLSearchParams): boolean => query.has('watch') && queryFlag(query.get('watch'));

function nonResource(method: string, path: string): RequestInfo {
  return {
    isResourceRequest: false,
    path,
    verb: method.toLowerCase(),
    prefix: '',
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    parts: [],
    fieldSelector: '',
    labelSelector: '',
  };
}

/**
 * Requests without a time limit of their own: watches, and streams to pods, or to what servers of others have of that
 * kind.
 */
export const isLongRunning = (info: RequestInfo): boolean =>
  info.verb === 'watch' ||
  info.subresource === 'proxy' ||
  (longRunningSubresources.has(info.subresource) && (info.resource === 'pods' || info.group !== '')) ||
  (!info.isResourceRequest && info.path.startsWith('/debug/pprof/'));

const longRunningSubresources = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);
