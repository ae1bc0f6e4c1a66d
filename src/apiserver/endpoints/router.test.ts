import { describe, expect, test } from 'vitest';
import { findGroupVersion, findResource, resourcesOf, type ResourceInfo } from '../../api/resources.ts';
import type { StatusError } from '../../machinery/status.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import type { ApiRequest } from '../request/request.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { ServedApis } from '../served-apis.ts';
import type { EndpointContext } from './context.ts';
import { createRouter } from './router.ts';
import type { Lifetime, ServedResource } from '../served/served-resource.ts';

const customPods: ResourceInfo = {
  ...findResource('v1', 'pods')!,
  group: 'example.com',
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  name: 'things',
  subresources: findResource('apps/v1', 'deployments')!.subresources.filter(({ name }) => name === 'status'),
};

/** A resource whose verbs answer with what was called. */
function served(info: ResourceInfo, lifetime?: Lifetime): ServedResource {
  const answer =
    (what: string) =>
    (_: ServedResource, request: ApiRequest): Promise<ApiResponse> =>
      Promise.resolve({ status: 200, headers: {}, body: `${request.info.verb} ${what}` });
  const handlers = (what: string, verbs: readonly string[]) =>
    Object.fromEntries(verbs.map((verb) => [verb, answer(what)]));
  return {
    info,
    store: undefined,
    virtual: handlers(info.name, info.verbs),
    servedVersions: new Map(),
    servedVersion: {},
    deprecation: undefined,
    subresources: new Map(
      info.subresources.map((sub) => [sub.name, { info: sub, verbs: handlers(`${info.name}/${sub.name}`, sub.verbs) }]),
    ),
    ...(lifetime === undefined ? {} : { lifetime }),
  } as unknown as ServedResource;
}

interface Given {
  readonly lifetime?: Partial<Lifetime>;
}

function send(line: string, { lifetime }: Given = {}): Promise<ApiResponse> {
  const builtIn = ['v1', 'apps/v1', 'authorization.k8s.io/v1'];
  const apis = new ServedApis({
    groupVersions: builtIn.map((apiVersion) => findGroupVersion(apiVersion)!),
    resources: new Map(
      builtIn.map((apiVersion) => [
        apiVersion,
        new Map(resourcesOf(apiVersion).map((info) => [info.name, served(info)])),
      ]),
    ),
  });
  const custom = served(customPods, { enter: () => () => undefined, isTerminating: false, ...lifetime });
  const find = apis.find.bind(apis);
  apis.find = (apiVersion, name) =>
    apiVersion === 'example.com/v1' && name === 'things' ? custom : find(apiVersion, name);
  const [method = '', target = ''] = line.split(' ');
  const [path = '', query = ''] = target.split('?');
  const parameters = new URLSearchParams(query);
  const request = { method, query: parameters, info: parseRequestInfo(method, path, parameters) };
  return createRouter({} as EndpointContext, apis)(request as unknown as ApiRequest);
}

const noSuchResource = 'the server could not find the requested resource';
const notAllowed = 'the server does not allow this method on the requested resource';

describe('a request for a built-in resource', () => {
  test.each([
    { line: 'GET /api/v1/pods', reaches: 'list pods' },
    { line: 'GET /api/v1/namespaces/x/pods', reaches: 'list pods' },
    { line: 'GET /api/v1/pods?watch=1', reaches: 'watch pods' },
    { line: 'GET /api/v1/watch/namespaces/x/pods/y', reaches: 'watch pods' },
    { line: 'POST /api/v1/namespaces/x/pods', reaches: 'create pods' },
    { line: 'DELETE /api/v1/namespaces/x/pods', reaches: 'deletecollection pods' },
    { line: 'GET /api/v1/namespaces/x/pods/y', reaches: 'get pods' },
    { line: 'PUT /api/v1/namespaces/x/pods/y', reaches: 'update pods' },
    { line: 'PATCH /api/v1/namespaces/x/pods/y', reaches: 'patch pods' },
    { line: 'DELETE /api/v1/namespaces/x/pods/y', reaches: 'delete pods' },
    { line: 'PUT /api/v1/namespaces/x/pods/y/status', reaches: 'update pods/status' },
    { line: 'GET /api/v1/namespaces/x/pods/y/proxy/a/b', reaches: 'get pods/proxy' },
    { line: 'GET /api/v1/nodes/n', reaches: 'get nodes' },
    { line: 'GET /api/v1/namespaces/x', reaches: 'get namespaces' },
    { line: 'POST /apis/authorization.k8s.io/v1/subjectaccessreviews', reaches: 'create subjectaccessreviews' },
  ])('A request for a built-in resource: $line reaches $reaches', async ({ line, reaches }) => {
    await expect(send(line)).resolves.toMatchObject({ status: 200, body: reaches });
  });

  test.each([
    { name: 'an unknown resource of a known version', line: 'GET /api/v1/nothing', code: 404, message: noSuchResource },
    { name: 'an unknown core version', line: 'GET /api/v9/pods', code: 404, message: noSuchResource },
    {
      name: 'a known group in an unknown version',
      line: 'GET /apis/apps/v9/deployments',
      code: 404,
      message: noSuchResource,
    },
    { name: 'an object without its namespace', line: 'GET /api/v1/pods/y', code: 404, message: noSuchResource },
    {
      name: 'one object of what is created alone',
      line: 'GET /apis/authorization.k8s.io/v1/subjectaccessreviews/y',
      code: 404,
      message: noSuchResource,
    },
    {
      name: 'one object in a namespace of what is created alone',
      line: 'DELETE /api/v1/namespaces/x/bindings/y',
      code: 404,
      message: noSuchResource,
    },
    {
      name: 'the collection in a namespace of what is created alone',
      line: 'GET /api/v1/namespaces/x/bindings',
      code: 405,
      message: notAllowed,
    },
    {
      name: 'the collection over all namespaces of what is created alone',
      line: 'GET /api/v1/bindings',
      code: 404,
      message: noSuchResource,
    },
    {
      name: 'a cluster-scoped object in a namespace',
      line: 'GET /api/v1/namespaces/x/nodes/n',
      code: 404,
      message: noSuchResource,
    },
    { name: 'a write over all namespaces', line: 'POST /api/v1/pods', code: 405, message: notAllowed },
    {
      name: 'a write over all namespaces of what cannot be listed',
      line: 'POST /apis/authorization.k8s.io/v1/localsubjectaccessreviews',
      code: 404,
      message: noSuchResource,
    },
    { name: 'PUT to a collection', line: 'PUT /api/v1/namespaces/x/pods', code: 405, message: notAllowed },
    { name: 'POST to an object', line: 'POST /api/v1/namespaces/x/pods/y', code: 405, message: notAllowed },
    {
      name: 'a verb that the resource has not',
      line: 'GET /apis/authorization.k8s.io/v1/subjectaccessreviews',
      code: 405,
      message: notAllowed,
    },
    {
      name: 'an unknown subresource',
      line: 'GET /api/v1/namespaces/x/pods/y/nothing',
      code: 404,
      message: noSuchResource,
    },
    {
      name: 'a verb that the subresource has not',
      line: 'DELETE /api/v1/namespaces/x/pods/y/status',
      code: 405,
      message: notAllowed,
    },
    {
      name: 'a path behind a subresource',
      line: 'GET /api/v1/namespaces/x/pods/y/status/z',
      code: 404,
      message: noSuchResource,
    },
    {
      name: 'a name with an escape',
      line: 'GET /api/v1/namespaces/x/pods/a%25b',
      code: 400,
      message: `Name parameter invalid: "a%25b": may not contain '%'`,
    },
  ])('A request for a built-in resource is refused for $name', async ({ line, code, message }) => {
    await expect((async () => send(line))()).rejects.toMatchObject({ code, message });
  });
});

describe('a request for a custom resource', () => {
  const base = '/apis/example.com/v1';

  test.each([
    { line: `GET ${base}/things`, reaches: 'list things' },
    { line: `POST ${base}/namespaces/x/things`, reaches: 'create things' },
    { line: `PUT ${base}/namespaces/x/things/y`, reaches: 'update things' },
    { line: `PATCH ${base}/namespaces/x/things/y/status`, reaches: 'patch things/status' },
  ])('A request for a custom resource: $line reaches $reaches', async ({ line, reaches }) => {
    await expect(send(line)).resolves.toMatchObject({ status: 200, body: reaches });
  });

  test.each([
    { name: 'an object without its namespace', line: `GET ${base}/things/y` },
    { name: 'a create without a namespace', line: `POST ${base}/things` },
    { name: 'a path behind a subresource', line: `GET ${base}/namespaces/x/things/y/status/z` },
    { name: 'an unknown resource of the group', line: `GET ${base}/nothings` },
    { name: 'an unknown group', line: 'GET /apis/nothing.example.com/v1/things' },
  ])('A request for a custom resource is answered with the page of unknown paths for $name', async ({ line }) => {
    await expect(send(line)).resolves.toMatchObject({ status: 404, body: '404 page not found\n' });
  });

  test.each([
    {
      name: 'an unknown subresource',
      line: `GET ${base}/namespaces/x/things/y/scale`,
      code: 404,
      message: 'things.example.com "y" not found',
    },
    {
      name: 'a method that collections have not',
      line: `PUT ${base}/namespaces/x/things`,
      code: 405,
      message: 'update is not supported on resources of kind "things.example.com"',
    },
  ])('A request for a custom resource is refused for $name', async ({ line, code, message }) => {
    await expect(send(line)).rejects.toMatchObject({ code, message });
  });

  test('A request for a custom resource cannot create while its definition goes, and can read', async () => {
    const lifetime = { isTerminating: true };
    await expect(send(`POST ${base}/namespaces/x/things`, { lifetime })).rejects.toMatchObject({
      code: 405,
      message: 'create not allowed while custom resource definition is terminating',
    } satisfies Partial<StatusError>);
    await expect(send(`GET ${base}/namespaces/x/things/y`, { lifetime })).resolves.toMatchObject({ status: 200 });
  });

  test('A request for a custom resource keeps the resource open for as long as it is worked on', async () => {
    const steps: string[] = [];
    const enter = (): (() => void) => {
      steps.push('enter');
      return () => steps.push('leave');
    };
    const response = send(`GET ${base}/things`, { lifetime: { enter } });
    expect(steps).toEqual(['enter']);
    await response;
    expect(steps).toEqual(['enter', 'leave']);
  });
});
