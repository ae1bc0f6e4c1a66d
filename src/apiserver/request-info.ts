/**
 * What a URL means, by upstream's rules: `/api/v1/namespaces/{ns}/{resource}/{name}/{subresource}` and friends.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/authorization/#review-your-request-attributes | request attributes}
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

const verbOfMethod: Readonly<Record<string, string>> = { POST: 'create', GET: 'get', HEAD: 'get', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

/** Subresources of a namespace itself; anything else below a namespace is a resource in it. */
const namespaceSubresources = new Set(['status', 'finalize']);

/** @param path the decoded path */
export function parseRequestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const segments = path.split('/').filter((segment) => segment !== '');
  const prefix = segments[0] ?? '';
  if ((prefix !== 'api' && prefix !== 'apis') || segments.length < (prefix === 'api' ? 3 : 4)) return nonResource(method, path);
  const group = prefix === 'api' ? '' : segments[1]!;
  const version = segments[prefix === 'api' ? 1 : 2]!;
  let rest = segments.slice(prefix === 'api' ? 2 : 3);
  let verb = verbOfMethod[method] ?? '';
  if (rest[0] === 'watch' && rest.length > 1) {
    verb = 'watch';
    rest = rest.slice(1);
  }
  let namespace = '';
  if (rest[0] === 'namespaces' && rest.length > 1) {
    namespace = rest[1]!;
    if (rest.length > 2 && !namespaceSubresources.has(rest[2]!)) rest = rest.slice(2);
  }
  const [resource = '', name = '', subresource = ''] = rest;
  const info = { isResourceRequest: true, path, prefix, group, version, namespace, resource, subresource, parts: rest };
  return { ...info, ...collectionVerb(verb, name, query) };
}

/** Requests without a name are about the collection; `metadata.name` in the field selector names the object again. */
function collectionVerb(verb: string, pathName: string, query: URLSearchParams): Pick<RequestInfo, 'verb' | 'name' | 'fieldSelector' | 'labelSelector'> {
  if (pathName !== '' && verb !== 'watch') return { verb, name: pathName, fieldSelector: '', labelSelector: '' };
  const fieldSelector = query.get('fieldSelector') ?? '';
  const labelSelector = query.get('labelSelector') ?? '';
  const isRead = verb === 'get' || verb === 'watch';
  const isDelete = verb === 'delete';
  if (!isRead && !isDelete) return { verb, name: pathName, fieldSelector: '', labelSelector: '' };
  const name = pathName === '' && isRead ? (/(?:^|,)metadata\.name==?([^,=!]+)(?:,|$)/.exec(fieldSelector)?.[1] ?? '') : pathName;
  if (isDelete) return { verb: 'deletecollection', name: '', fieldSelector, labelSelector };
  return { verb: verb === 'watch' || isWatch(query) ? 'watch' : 'list', name, fieldSelector, labelSelector };
}

/** Go's boolean query parameter: present and not `0` or `false`. */
export function queryFlag(value: string | null): boolean {
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

const isWatch = (query: URLSearchParams): boolean => query.has('watch') && queryFlag(query.get('watch'));

function nonResource(method: string, path: string): RequestInfo {
  return { isResourceRequest: false, path, verb: method.toLowerCase(), prefix: '', group: '', version: '', namespace: '', resource: '', subresource: '', name: '', parts: [], fieldSelector: '', labelSelector: '' };
}

/** Requests without a time limit of their own: watches, and streams to pods. */
export const isLongRunning = (info: RequestInfo): boolean =>
  info.verb === 'watch' || (info.isResourceRequest && info.resource === 'pods' && longRunningSubresources.has(info.subresource)) || info.subresource === 'proxy';

const longRunningSubresources = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);
