/** What both servers are asked in each of the namespaces, in this order. */
export interface AuditedRequest {
  readonly name: string;
  readonly method: string;
  /** NS stands for the namespace. */
  readonly path: string;
  /** Undefined: an administrator. Empty: no credential. */
  readonly user?: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Members of events that need not be equal, as paths with a star for any index, and why. */
  readonly differs?: Readonly<Record<string, string>>;
}

const configMaps = '/api/v1/namespaces/NS/configmaps';
const deployments = '/apis/apps/v1/namespaces/NS/deployments';
const merge = 'application/merge-patch+json';
/** The bindings that allow it are tried in no order. */
const anyBinding = {
  '*.annotations.authorization%2ek8s%2eio/reason': 'several bindings allow it, and upstream names any of them',
};
const closedEarly = {
  '*.responseStatus.status':
    'of every watch 1.20 says that its connection was closed early, and that this was a success',
};
const deployment = {
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx:1' }] } },
  },
};

export const requests: readonly AuditedRequest[] = [
  // Verbs
  {
    name: 'create',
    method: 'POST',
    path: configMaps,
    user: 'jane',
    body: { metadata: { name: 'one' }, data: { a: '<1> & "2"' } },
  },
  {
    name: 'create as a dry run',
    method: 'POST',
    path: `${configMaps}?dryRun=All`,
    body: { metadata: { name: 'two' } },
  },
  { name: 'get', method: 'GET', path: `${configMaps}/one`, user: 'jane' },
  { name: 'get as YAML', method: 'GET', path: `${configMaps}/one`, headers: { accept: 'application/yaml' } },
  {
    name: 'get as a table',
    method: 'GET',
    path: `${configMaps}/one`,
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  },
  { name: 'list', method: 'GET', path: `${configMaps}?labelSelector=app%3Dnone&limit=5`, user: 'jane' },
  { name: 'list all namespaces', method: 'GET', path: '/api/v1/configmaps?labelSelector=app%3Dnone' },
  {
    name: 'watch',
    method: 'GET',
    path: `${configMaps}?watch=true&timeoutSeconds=1&labelSelector=app%3Dnone`,
    user: 'jane',
    differs: closedEarly,
  },
  {
    name: 'watch with events',
    method: 'GET',
    path: `${configMaps}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Done`,
    user: 'jane',
    differs: closedEarly,
  },
  {
    name: 'update',
    method: 'PUT',
    path: `${configMaps}/one`,
    user: 'jane',
    body: { metadata: { name: 'one' }, data: { a: '2' } },
  },
  { name: 'merge patch', method: 'PATCH', path: `${configMaps}/one`, contentType: merge, body: { data: { b: '3' } } },
  {
    name: 'JSON patch',
    method: 'PATCH',
    path: `${configMaps}/one`,
    contentType: 'application/json-patch+json',
    body: [{ op: 'add', path: '/data/c', value: '4' }],
  },
  {
    name: 'strategic patch',
    method: 'PATCH',
    path: `${configMaps}/one?fieldManager=me`,
    contentType: 'application/strategic-merge-patch+json',
    body: { data: { d: '5' } },
  },
  {
    name: 'apply',
    method: 'PATCH',
    path: `${configMaps}/applied?fieldManager=me`,
    contentType: 'application/apply-patch+yaml',
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data: { a: '1' } },
  },
  {
    name: 'delete',
    method: 'DELETE',
    path: `${configMaps}/applied`,
    body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' },
  },
  { name: 'delete without options', method: 'DELETE', path: `${configMaps}/one`, user: 'jane' },
  { name: 'delete a collection', method: 'DELETE', path: `${configMaps}?labelSelector=app%3Dnone` },
  // Subresources, and virtual ones
  { name: 'create a deployment', method: 'POST', path: deployments, body: deployment },
  { name: 'get its scale', method: 'GET', path: `${deployments}/web/scale` },
  {
    name: 'patch its scale',
    method: 'PATCH',
    path: `${deployments}/web/scale`,
    contentType: merge,
    body: { spec: { replicas: 3 } },
  },
  {
    name: 'patch its status',
    method: 'PATCH',
    path: `${deployments}/web/status`,
    contentType: merge,
    body: { status: { replicas: 1 } },
  },
  { name: 'delete a deployment', method: 'DELETE', path: `${deployments}/web` },
  {
    name: 'ask what one may',
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    user: 'jane',
    body: { spec: { resourceAttributes: { verb: 'get', resource: 'configmaps', namespace: 'NS' } } },
  },
  {
    name: 'ask what one may here',
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/namespaces/NS/localsubjectaccessreviews',
    body: {
      metadata: { namespace: 'NS' },
      spec: { user: 'jane', resourceAttributes: { verb: 'get', resource: 'secrets', namespace: 'NS' } },
    },
  },
  // Errors
  { name: 'get what is not there', method: 'GET', path: `${configMaps}/none`, user: 'jane' },
  { name: 'delete what is not there', method: 'DELETE', path: `${configMaps}/none` },
  {
    name: 'update what is not there',
    method: 'PUT',
    path: `${configMaps}/none`,
    body: { metadata: { name: 'none', resourceVersion: '7', uid: '0b2e0cf6-41bb-4a5c-9a73-9d4a4b5b4a8c' } },
  },
  { name: 'create what is not valid', method: 'POST', path: configMaps, body: { metadata: { name: 'Not Valid' } } },
  {
    name: 'create in a namespace that is not there',
    method: 'POST',
    path: '/api/v1/namespaces/nowhere/configmaps',
    body: { metadata: { name: 'x' } },
  },
  { name: 'another name in the body', method: 'PUT', path: `${configMaps}/one`, body: { metadata: { name: 'other' } } },
  { name: 'a patch of what is not there', method: 'PATCH', path: `${configMaps}/none`, contentType: merge, body: {} },
  { name: 'an unknown media type', method: 'POST', path: configMaps, contentType: 'text/plain', body: 'x' },
  { name: 'an answer that cannot be', method: 'GET', path: configMaps, headers: { accept: 'text/csv' } },
  { name: 'an unknown resource', method: 'GET', path: '/api/v1/namespaces/NS/unknowns' },
  { name: 'an unknown group', method: 'GET', path: '/apis/unknown.example.com/v1/namespaces/NS/things/x' },
  { name: 'an unknown subresource', method: 'GET', path: `${configMaps}/one/scale` },
  // The user of the request
  { name: 'forbidden', method: 'GET', path: '/api/v1/namespaces/NS/secrets', user: 'jane' },
  {
    name: 'forbidden to write',
    method: 'POST',
    path: '/api/v1/namespaces/NS/secrets',
    user: 'jane',
    body: { metadata: { name: 'x' } },
  },
  { name: 'a wrong token', method: 'GET', path: configMaps, user: 'wrong' },
  {
    name: 'a wrong token that writes',
    method: 'POST',
    path: configMaps,
    user: 'wrong',
    body: { metadata: { name: 'x' } },
  },
  { name: 'nobody', method: 'GET', path: configMaps, user: '' },
  {
    name: 'as an impersonated user',
    method: 'GET',
    path: `${configMaps}/none`,
    headers: { 'impersonate-user': 'jane', 'impersonate-group': 'devs' },
  },
  {
    name: 'as a user without the right',
    method: 'GET',
    path: '/api/v1/namespaces/NS/secrets',
    headers: { 'impersonate-user': 'joe', 'impersonate-extra-scopes': 'view' },
  },
  {
    name: 'as a service account',
    method: 'GET',
    path: configMaps,
    headers: { 'impersonate-user': 'system:serviceaccount:NS:robot' },
  },
  {
    name: 'as a user that may not be impersonated',
    method: 'GET',
    path: configMaps,
    user: 'jane',
    headers: { 'impersonate-user': 'admin' },
  },
  // Paths that are no resources
  { name: 'version', method: 'GET', path: '/version', user: 'jane', differs: anyBinding },
  { name: 'health', method: 'GET', path: '/healthz', user: 'jane', differs: anyBinding },
  { name: 'discovery', method: 'GET', path: '/api/v1', user: 'jane' },
  { name: 'a path that is none', method: 'GET', path: '/nowhere' },
  { name: 'a path that is not for her', method: 'GET', path: '/metrics', user: 'jane' },
  { name: 'a query', method: 'GET', path: '/version?a=%20b&c', user: 'jane', differs: anyBinding },
];
