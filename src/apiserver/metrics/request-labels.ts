import type { ApiRequest } from '../request/request.ts';
import { dryRunLabel } from '../endpoints/write-parameters.ts';

/** What the labels of a request follow from. */
export function keyOf({ info, query }: ApiRequest): string {
  const target = info.isResourceRequest
    ? `${info.group}/${info.version}/${info.resource}/${info.subresource}`
    : firstSegment(info.path);
  const scope = (info.namespace === '' ? '' : 'n') + (info.name === '' ? '' : 'o');
  return `${info.verb} ${target} ${scope} ${dryRunLabel(query)}`;
}

export const isRead = ({ info }: ApiRequest): boolean => info.verb === 'get' || info.verb === 'list';

const knownVerbs = new Set([
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
  'post',
  'put',
  'head',
  'options',
  'connect',
]);

export const verbLabel = (verb: string): string => (knownVerbs.has(verb) ? verb.toUpperCase() : 'other');

const knownPaths = new Set(['api', 'apis', 'healthz', 'livez', 'readyz', 'version', 'openapi', 'metrics']);

/** Non-resource requests are told apart by where they go, so far as that is a place of ours. */
export function firstSegment(path: string): string {
  const first = path.split('/', 2)[1] ?? '';
  return knownPaths.has(first) ? `/${first}` : '';
}
