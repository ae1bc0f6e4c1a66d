/**
 * From a resource path and a method to the verb that answers. What is served is data (`api/resources.ts` and what
 * `--runtime-config` left of it); there is one route per verb, not one per kind.
 */
import {
  badRequest,
  type GroupResource,
  methodNotAllowed as notSupportedMethod,
  notFound,
  StatusError,
} from '../../machinery/status.ts';
import { pathSegmentErrors } from '../../registry/generic/common-fields.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import type { ApiRequest } from '../request/request.ts';
import type { EndpointContext } from './context.ts';
import { tellDeprecation } from '../served/deprecation.ts';
import type { ServedApis } from '../served-apis.ts';
import { notFoundPage } from '../../server/not-found-page.ts';
import { methodNotAllowed, noSuchResource } from '../request/request-errors.ts';
import type { Lifetime, ServedResource } from '../served/served-resource.ts';
import { createObject } from './verbs/create.ts';
import { deleteCollection } from './verbs/delete-collection.ts';
import { deleteObject } from './verbs/delete.ts';
import { getObject } from './verbs/get.ts';
import { listObjects } from './verbs/list.ts';
import { patchObject } from './verbs/patch.ts';
import { updateObject } from './verbs/update.ts';
import { watchObjects } from './verbs/watch.ts';

type Verb = (context: EndpointContext, served: ServedResource, request: ApiRequest) => Promise<ApiResponse>;

/** Verbs that read the body of an object or of a patch, and may be worked on in another thread. */
export const writeVerbs: Readonly<Record<string, Verb>> = {
  create: createObject,
  update: updateObject,
  patch: patchObject,
};

const verbs: Readonly<Record<string, Verb>> = {
  get: getObject,
  list: listObjects,
  watch: watchObjects,
  ...writeVerbs,
  delete: deleteObject,
  deletecollection: deleteCollection,
};

/** Verbs by how many segments the path has behind the namespace: a collection, or one object. */
const collectionVerbs: Readonly<Record<string, readonly string[]>> = {
  GET: ['list', 'watch'],
  POST: ['create'],
  DELETE: ['deletecollection'],
};
const objectVerbs: Readonly<Record<string, readonly string[]>> = {
  GET: ['get', 'list', 'watch'],
  PUT: ['update'],
  PATCH: ['patch'],
  DELETE: ['delete'],
};

export function createRouter(
  context: EndpointContext,
  apis: ServedApis,
): (request: ApiRequest) => Promise<ApiResponse> {
  return (request) => {
    const { info } = request;
    const apiVersion = info.group === '' ? info.version : `${info.group}/${info.version}`;
    const served = apis.find(apiVersion, info.resource);
    if (served !== undefined) checkSegments(info.parts);
    if (served?.lifetime !== undefined) return routeCustom(context, served, served.lifetime, request);
    if (served !== undefined) return route(context, served, request);
    if (apis.isBuiltIn(apiVersion) || info.group === '') throw noSuchResource();
    return routeLate(context, apis, apiVersion, request);
  };
}

/** The path after the subresource belongs to the proxied server. */
function checkSegments([, name, subresource]: readonly string[]): void {
  if (name === '') throw badRequest('name must be provided');
  if (subresource === '') throw noSuchResource();
}

/** A server that has just started may not have read the definition yet. */
async function routeLate(
  context: EndpointContext,
  apis: ServedApis,
  apiVersion: string,
  request: ApiRequest,
): Promise<ApiResponse> {
  await apis.known();
  const { info } = request;
  const served = apis.find(apiVersion, info.resource);
  if (served?.lifetime !== undefined) return routeCustom(context, served, served.lifetime, request);
  // All paths of its own groups are those of upstream's own resources, of others it knows nothing.
  if (apis.isBuiltInGroup(info.group)) throw noSuchResource();
  return notFoundPage;
}

function route(context: EndpointContext, served: ServedResource, request: ApiRequest): Promise<ApiResponse> {
  const { deprecation } = served;
  const { info } = request;
  // A method that the resource does not have says nothing about it.
  if (
    deprecation !== undefined &&
    (info.subresource !== '' || (served.info.verbs as readonly string[]).includes(info.verb))
  ) {
    tellDeprecation(request, deprecation);
    context.deprecatedUse(served, info.subresource, deprecation.removed);
  }
  checkScope(served, request);
  return info.subresource === '' ? routeObject(context, served, request) : routeSubresource(context, served, request);
}

/** Custom resources are answered for by another part of upstream's server, which words some refusals otherwise. */
async function routeCustom(
  context: EndpointContext,
  served: ServedResource,
  lifetime: Lifetime,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { info: resource } = served;
  const { info } = request;
  if (
    resource.namespaced
      ? info.namespace === '' && (info.parts.length > 1 || info.verb === 'create')
      : info.namespace !== ''
  )
    return notFoundPage;
  const about = { group: resource.group, resource: resource.name };
  if (info.subresource !== '' && !resource.subresources.some(({ name }) => name === info.subresource))
    throw notFound(about, info.name);
  if (info.parts.length > 3) return notFoundPage;
  const verbs: readonly string[] = info.subresource === '' ? resource.verbs : subresourceVerbs;
  const byPath = (info.parts.length === 1 ? collectionVerbs : objectVerbs)[request.method] ?? [];
  if (!verbs.includes(info.verb) || !byPath.includes(info.verb))
    throw notSupportedMethod(about, info.verb === '' ? request.method.toLowerCase() : info.verb);
  if (info.verb === 'create' && lifetime.isTerminating) throw terminating(about);
  const leave = lifetime.enter();
  try {
    return await route(context, served, request);
  } finally {
    leave();
  }
}

const subresourceVerbs = ['get', 'patch', 'update'];

const terminating = ({ group, resource }: GroupResource): StatusError =>
  new StatusError(405, 'MethodNotAllowed', 'create not allowed while custom resource definition is terminating', {
    group,
    kind: resource,
  });

/**
 * Objects in namespaces have no path outside of one; only lists reach over all namespaces. The others have none inside,
 * where the rights in that namespace would count; but a namespace is in itself.
 */
function checkScope({ info: resource }: ServedResource, { info, method }: ApiRequest): void {
  if (
    !resource.namespaced &&
    info.namespace !== '' &&
    !(resource.name === 'namespaces' && info.parts[1] === info.namespace)
  )
    throw noSuchResource();
  if (!resource.namespaced || info.namespace !== '') return;
  if (info.parts.length > 1 && info.verb !== 'watch') throw noSuchResource();
  if (!resource.verbs.includes('list')) throw noSuchResource();
  if (method !== 'GET') throw methodNotAllowed();
}

function routeObject(context: EndpointContext, served: ServedResource, request: ApiRequest): Promise<ApiResponse> {
  const { info, method } = request;
  const isCollection = info.parts.length === 1;
  const allowed = (isCollection ? collectionVerbs : objectVerbs)[method] ?? [];
  const { verb } = info;
  if (!isCollection && isCreateOnly(served)) throw noSuchResource();
  if (!allowed.includes(verb) || !supports(served, verb)) throw methodNotAllowed();
  if (!isCollection) checkName(info.parts[1]!);
  if (served.store === undefined) {
    const handler = served.virtual?.[verb];
    if (handler === undefined) throw methodNotAllowed();
    return handler(served, request);
  }
  return answer(context, served, verb, request);
}

function answer(
  context: EndpointContext,
  served: ServedResource,
  verb: string,
  request: ApiRequest,
): Promise<ApiResponse> {
  const here = (): Promise<ApiResponse> => verbs[verb]!(context, served, request);
  return context.largeRequests === undefined || writeVerbs[verb] === undefined
    ? here()
    : context.largeRequests.answer(served, request, here);
}

/** What is created and not kept (reviews, bindings) is found by no name. */
const isCreateOnly = ({ info: { verbs } }: ServedResource): boolean => verbs.every((verb) => verb === 'create');

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
  if (verbs[info.verb] === undefined || served.store === undefined) throw methodNotAllowed();
  return answer(context, served, info.verb, request);
}
