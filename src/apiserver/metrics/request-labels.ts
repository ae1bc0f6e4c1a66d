import type { ApiRequest } from '../request/request.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { dryRunLabel } from '../endpoints/write-parameters.ts';

/** What the labels of a request follow from. */
export function keyOf(request: ApiRequest): string {
  const { info, query } = request;
  const target = info.isResourceRequest
    ? `${info.group}/${info.version}/${info.resource}/${info.subresource}`
    : firstSegment(info.path);
  const scope = (info.namespace === '' ? '' : 'n') + (info.name === '' ? '' : 'o');
  return `${info.verb}${isApply(request) ? ' apply' : ''} ${target} ${scope} ${dryRunLabel(query)}`;
}

export const isRead = ({ info }: ApiRequest): boolean => info.verb === 'get' || info.verb === 'list';

/** Writes have the names of their methods, as dashboards for the reference look for them. */
const verbLabels: Readonly<Record<string, string>> = {
  get: 'GET',
  head: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  post: 'POST',
  update: 'PUT',
  put: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
  connect: 'CONNECT',
};

/** Subresources that are ways to a node, a log among them. */
const connecting: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

export function verbLabel(request: ApiRequest): string {
  const { info } = request;
  if (info.isResourceRequest && connecting.has(info.subresource)) return 'CONNECT';
  if (isApply(request)) return 'APPLY';
  return (Object.hasOwn(verbLabels, info.verb) ? verbLabels[info.verb] : undefined) ?? 'other';
}

const isApply = (request: ApiRequest): boolean =>
  request.info.verb === 'patch' && request.header('content-type') === 'application/apply-patch+yaml';

/** What of a resource a request is about. */
export function scopeLabel({ isResourceRequest, name, namespace, verb }: RequestInfo): string {
  if (!isResourceRequest) return '';
  if (name !== '' || verb === 'create') return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}

const knownPaths = new Set(['api', 'apis', 'healthz', 'livez', 'readyz', 'version', 'openapi', 'metrics']);

/** Non-resource requests are told apart by where they go, so far as that is a place of ours. */
export function firstSegment(path: string): string {
  const first = path.split('/', 2)[1] ?? '';
  return knownPaths.has(first) ? `/${first}` : '';
}
