/**
 * From a resource path and a method to the verb that answers. What is served is data (`api/resources.ts` and what
 * `--runtime-config` left of it); there is one route per verb, not one per kind.
 */
import { badRequest } from '../../machinery/status.ts';
import { pathSegmentErrors } from '../../registry/generic/common-fields.ts';
import type { ApiRequest, ApiResponse } from '../request.ts';
import type { EndpointContext } from './context.ts';
import { methodNotAllowed, noSuchResource } from './errors.ts';
import type { ServedResource } from './served.ts';
import { createObject } from './verbs/create.ts';
import { deleteCollection } from './verbs/delete-collection.ts';
import { deleteObject } from './verbs/delete.ts';
import { getObject } from './verbs/get.ts';
import { listObjects } from './verbs/list.ts';
import { patchObject } from './verbs/patch.ts';
import { updateObject } from './verbs/update.ts';
import { watchObjects } from './verbs/watch.ts';

type Verb = (context: EndpointContext, served: ServedResource, request: ApiRequest) => Promise<ApiResponse>;

const verbs: Readonly<Record<string, Verb>> = {
  get: getObject,
  list: listObjects,
  watch: watchObjects,
  create: createObject,
  update: updateObject,
  patch: patchObject,
  delete: deleteObject,
  deletecollection: deleteCollection,
};

/** Verbs by how many segments the path has behind the namespace: a collection, or one object. */
const collectionVerbs: Readonly<Record<string, readonly string[]>> = { GET: ['list', 'watch'], POST: ['create'], DELETE: ['deletecollection'] };
const objectVerbs: Readonly<Record<string, readonly string[]>> = { GET: ['get', 'list', 'watch'], PUT: ['update'], PATCH: ['patch'], DELETE: ['delete'] };

/** Served resources by apiVersion, then by plural name. */
export type Catalog = ReadonlyMap<string, ReadonlyMap<string, ServedResource>>;

export function createRouter(context: EndpointContext, catalog: Catalog): (request: ApiRequest) => Promise<ApiResponse> {
  const deprecations = new Map([...catalog.values()].flatMap((resources) => [...resources.values()]).flatMap((served) => {
    const text = deprecationOf(context, served);
    return text === undefined ? [] : [[served, text] as const];
  }));
  return (request) => {
    const { info } = request;
    const served = catalog.get(info.group === '' ? info.version : `${info.group}/${info.version}`)?.get(info.resource);
    if (served === undefined) throw noSuchResource();
    const deprecation = deprecations.get(served);
    if (deprecation !== undefined) request.warn(deprecation);
    checkScope(served, request);
    return info.subresource === '' ? routeObject(context, served, request) : routeSubresource(context, served, request);
  };
}

/** What a client of an API that is going away should know. @see {@link https://kep.k8s.io/1693 | KEP-1693} */
function deprecationOf({ schemas }: EndpointContext, { form }: ServedResource): string | undefined {
  const { deprecated, removed, replacement } = schemas.type(form.typeId);
  if (deprecated === undefined) return undefined;
  const [group = '', version = '', kind = ''] = replacement?.split(',') ?? [];
  return `${form.apiVersion} ${form.kind} is deprecated in v${deprecated}+${removed === undefined ? '' : `, unavailable in v${removed}+`}${replacement === undefined ? '' : `; use ${group === '' ? '' : `${group}/`}${version} ${kind}`}`;
}

/** Objects in namespaces have no path outside of one; only lists reach over all namespaces. */
function checkScope({ info: resource }: ServedResource, { info, method }: ApiRequest): void {
  if (!resource.namespaced && info.namespace !== '' && resource.name !== 'namespaces') throw noSuchResource();
  if (!resource.namespaced || info.namespace !== '') return;
  if (info.parts.length > 1 && info.verb !== 'watch') throw noSuchResource();
  if (method !== 'GET') throw resource.verbs.includes('list') ? methodNotAllowed() : noSuchResource();
}

function routeObject(context: EndpointContext, served: ServedResource, request: ApiRequest): Promise<ApiResponse> {
  const { info, method } = request;
  const isCollection = info.parts.length === 1;
  const allowed = (isCollection ? collectionVerbs : objectVerbs)[method] ?? [];
  const { verb } = info;
  if (!allowed.includes(verb) || !supports(served, verb)) throw methodNotAllowed();
  if (!isCollection) checkName(info.parts[1]!);
  if (served.store === undefined) {
    const handler = served.virtual?.[verb];
    if (handler === undefined) throw methodNotAllowed();
    return handler(served, request);
  }
  return verbs[verb]!(context, served, request);
}

/** A resource without a collection of its own has no verbs on objects either (reviews). */
const supports = ({ info }: ServedResource, verb: string): boolean => (info.verbs as readonly string[]).includes(verb);

function checkName(name: string): void {
  const [error] = pathSegmentErrors(name);
  if (error !== undefined) throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${error}`);
}

function routeSubresource(context: EndpointContext, served: ServedResource, request: ApiRequest): Promise<ApiResponse> {
  const { info } = request;
  const subresource = served.info.subresources.find(({ name }) => name === info.subresource);
  if (subresource === undefined || (info.parts.length > 3 && info.subresource !== 'proxy')) throw noSuchResource();
  if (!(subresource.verbs as readonly string[]).includes(info.verb)) throw methodNotAllowed();
  checkName(info.parts[1]!);
  const own = served.subresources.get(info.subresource);
  if (own !== undefined) {
    const handler = own.verbs[info.verb];
    if (handler === undefined) throw methodNotAllowed();
    return handler(served, request);
  }
  const verb = verbs[info.verb];
  if (verb === undefined || served.store === undefined) throw methodNotAllowed();
  return verb(context, served, request);
}
