/** What clients can make long beside bodies of objects: headers, queries, paths, expressions and definitions. */
import type { MemoryRequest } from '../support/memory-exchange.ts';
import type { Case } from './cases.ts';

const pods = '/api/v1/namespaces/default/pods';
const repeated = (unit: string, size: number): string => unit.repeat(Math.max(1, Math.floor(size / unit.length)));
/** Texts with numbers in them, of about `size` characters together. */
const numbered = (size: number, text: (i: number) => string): string[] =>
  Array.from({ length: Math.max(1, Math.floor(size / (text(10_000).length + 1))) }, (_, i) => text(i));

type Headers = NonNullable<MemoryRequest['headers']>;

/** Headers that the server reads, by what they are filled with. */
const headerValues: Readonly<Record<string, (size: number) => Headers>> = {
  'accept of many types': (size) => [['accept', numbered(size, (i) => `a/b${i};q=0.${i % 10}`).join(',')]],
  'accept of many parameters': (size) => [['accept', `application/json;${numbered(size, (i) => `p${i}=v`).join(';')}`]],
  'accept of commas': (size) => [['accept', repeated(',', size)]],
  'accept-encoding': (size) => [['accept-encoding', numbered(size, (i) => `gzip;q=0.${i % 10}`).join(',')]],
  'content-type parameters': (size) => [['content-type', `application/json;${repeated(' a=b;', size)}`]],
  'user-agent': (size) => [['user-agent', repeated('kubectl/v1 ', size)]],
  'audit-id': (size) => [['audit-id', repeated('a', size)]],
  origin: (size) => [['origin', `https://${repeated('a.', size)}example.com`]],
  'x-forwarded-for': (size) => [
    ['x-forwarded-for', numbered(size, (i) => `10.0.${(i >> 8) % 256}.${i % 256}`).join(', ')],
  ],
  'x-forwarded-for without addresses': (size) => [['x-forwarded-for', repeated('a:b,', size)]],
  'bearer token of dots': (size) => [['authorization', `Bearer ${repeated('.', size)}`]],
  'bearer token of letters': (size) => [
    ['authorization', `Bearer ${repeated('eyJ', size)}.${repeated('eyJ', 100)}.sig`],
  ],
  'authorization of spaces': (size) => [['authorization', `Bearer${repeated(' ', size)}x`]],
  'impersonated groups': (size) => [
    ['impersonate-user', 'bob'],
    ...numbered(size, (i) => `group-${i}`).map((group) => ['impersonate-group', group] as const),
  ],
  'impersonated extra, one name': (size) => [
    ['impersonate-user', 'bob'],
    ...numbered(size, (i) => `value-${i}`).map((value) => ['impersonate-extra-a', value] as const),
  ],
  'impersonated extra, many names': (size) => [
    ['impersonate-user', 'bob'],
    ...numbered(size, (i) => `impersonate-extra-name${i}`).map((name) => [name, 'v'] as const),
  ],
  'headers that mean nothing': (size) => numbered(size, (i) => `x-name-${i}`).map((name) => [name, 'v'] as const),
  'if-none-match': (size) => [['if-none-match', numbered(size, (i) => `"${i}"`).join(', ')]],
};

/** Queries, by what they are filled with. */
const queries: Readonly<Record<string, (size: number) => string>> = {
  'label selector of many requirements': (size) =>
    `labelSelector=${encodeURIComponent(numbered(size, (i) => `k${i}=v`).join(','))}`,
  'label selector of equal requirements': (size) => `labelSelector=${encodeURIComponent(repeated('a=b,', size))}a`,
  'label selector of many values': (size) =>
    `labelSelector=${encodeURIComponent(`a in (${numbered(size, (i) => `v${i}`).join(',')})`)}`,
  'label selector of brackets': (size) => `labelSelector=${encodeURIComponent(repeated('(', size))}`,
  'label selector of bad names': (size) =>
    `labelSelector=${encodeURIComponent(numbered(size, (i) => `-k${i}!`).join(','))}`,
  'label selector of spaces': (size) => `labelSelector=${repeated('+', size)}a`,
  'field selector of many terms': (size) =>
    `fieldSelector=${encodeURIComponent(numbered(size, (i) => `metadata.name!=n${i}`).join(','))}`,
  'field selector of backslashes': (size) => `fieldSelector=${encodeURIComponent(repeated('\\\\', size))}`,
  'field selector of commas': (size) => `fieldSelector=${repeated(',', size)}`,
  'continue token': (size) => `limit=1&continue=${repeated('eyJ2', size)}`,
  'limit of digits': (size) => `limit=${repeated('1', size)}`,
  'resource version of digits': (size) => `resourceVersion=${repeated('1', size)}`,
  'many parameters': (size) => numbered(size, (i) => `p${i}=v`).join('&'),
  'one parameter many times': (size) => repeated('dryRun=All&', size),
  escapes: (size) => `labelSelector=${repeated('%61', size)}`,
  'escapes that are none': (size) => repeated('%zz&', size),
  'field manager': (size) => `fieldManager=${repeated('a', size)}`,
};

const paths: Readonly<Record<string, (size: number) => string>> = {
  slashes: (size) => repeated('/', size),
  segments: (size) => `/api/v1/namespaces/${repeated('a/', size)}`,
  'long name': (size) => `${pods}/${repeated('a', size)}`,
  escapes: (size) => `${pods}/${repeated('%2e', size)}`,
  openapi: (size) => `/openapi/v3/${repeated('a/', size)}`,
};

/** Expressions in the Common Expression Language, by their shape. */
const expressions: Readonly<Record<string, (size: number) => string>> = {
  'a sum': (size) => `${repeated('1+', size)}1`,
  alternatives: (size) => `${repeated('true||', size)}true`,
  brackets: (size) => `${repeated('(', size / 2)}1${repeated(')', size / 2)}`,
  'open brackets': (size) => repeated('[', size),
  negations: (size) => `${repeated('!', size)}true`,
  members: (size) => `object${repeated('.a', size)}`,
  indexes: (size) => `object${repeated('[0]', size)}`,
  calls: (size) => `'a'${repeated('.lowerAscii()', size)} == 'a'`,
  'a list': (size) => `[${repeated('1,', size)}1].size() > 0`,
  'a map': (size) => `{${numbered(size, (i) => `'k${i}':1`).join(',')}}.size() > 0`,
  'macros beside each other': (size) => `${repeated('[1].all(x,x>0)&&', size)}true`,
  'macros in each other': (size) => `${repeated('[1].all(x,', size)}true${repeated(')', size / 10)}`,
  conditions: (size) => `${repeated('true?1:', size)}1`,
  'a text': (size) => `'${repeated('a', size)}' == 'a'`,
  'a text of escapes': (size) => `'${repeated('\\n', size)}' == 'a'`,
  'characters that mean nothing': (size) => repeated('$', size),
  'line breaks': (size) => `${repeated('\n', size)}1`,
  comments: (size) => `${repeated('//a\n', size)}true`,
};

/** Schemas of custom resources, by their shape. */
const schemaShapes: Readonly<Record<string, (size: number) => unknown>> = {
  'many properties': (size) => ({
    type: 'object',
    properties: Object.fromEntries(numbered(size / 3, (i) => `p${i}`).map((name) => [name, { type: 'string' }])),
  }),
  'properties in each other': (size) =>
    nested(size, (inner) => ({ type: 'object', properties: { a: inner } }), { type: 'object' }),
  'items in each other': (size) => nested(size, (inner) => ({ type: 'array', items: inner }), { type: 'string' }),
  'many alternatives': (size) => ({
    type: 'object',
    anyOf: numbered(size / 3, (i) => `p${i}`).map((name) => ({ required: [name] })),
  }),
  'many values': (size) => ({ type: 'string', enum: numbered(size, (i) => `v${i}`) }),
  'equal values': (size) => ({ type: 'string', enum: numbered(size, () => 'v') }),
  'many required': (size) => ({ type: 'object', required: numbered(size, (i) => `r${i}`) }),
  'a pattern': (size) => ({ type: 'string', pattern: repeated('a?', size) }),
  'a pattern that is wrong': (size) => ({ type: 'string', pattern: repeated('(', size) }),
  'a default': (size) => ({
    type: 'array',
    items: { type: 'integer' },
    default: Array.from({ length: size / 2 }, () => 1),
  }),
  'many rules': (size) => ({
    type: 'object',
    properties: { a: { type: 'string' } },
    'x-kubernetes-validations': numbered(size / 3, (i) => `self.a != 'v${i}'`).map((rule) => ({ rule })),
  }),
  'list keys': (size) => ({
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': numbered(size / 2, (i) => `k${i}`),
    items: { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
  }),
};

const maxNesting = 200;

/** As deep as documents may be, and as often beside each other as it takes. */
function nested(size: number, wrap: (inner: unknown) => unknown, innermost: unknown): unknown {
  let one = innermost;
  for (let depth = 0; depth < maxNesting; depth++) one = wrap(one);
  const count = Math.max(1, Math.floor(size / JSON.stringify(one).length));
  return { type: 'object', properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, one])) };
}

const json = (value: unknown): Pick<MemoryRequest, 'headers' | 'body'> => ({
  headers: [['content-type', 'application/json']],
  body: Buffer.from(JSON.stringify(value)),
});

function policy(expression: string): MemoryRequest {
  const resourceRules = [
    { apiGroups: ['none.example.com'], apiVersions: ['v1'], resources: ['nothings'], operations: ['CREATE'] },
  ];
  return {
    method: 'POST',
    target: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies?dryRun=All',
    ...json({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'shape' },
      spec: { matchConstraints: { resourceRules }, validations: [{ expression }] },
    }),
  };
}

function definition(schema: unknown): MemoryRequest {
  const versions = [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema } } },
    },
  ];
  return {
    method: 'POST',
    target: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All',
    ...json({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'shapes.example.com' },
      spec: { group: 'example.com', scope: 'Cluster', names: { plural: 'shapes', kind: 'Shape' }, versions },
    }),
  };
}

/** Rights as a product of long lists, from a user that needs each of them. */
function role(size: number): MemoryRequest {
  const side = (letter: string): string[] => numbered(size / 3, (i) => `${letter}${i}`);
  const { headers = [], body } = json({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'product' },
    rules: [{ verbs: side('v'), apiGroups: side('g'), resources: side('r') }],
  });
  return {
    method: 'POST',
    target: '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles?dryRun=All',
    headers: [['authorization', 'Bearer alicetoken'], ...headers],
    body: body!,
  };
}

/** Lets the caller of {@link role} write roles. */
export const endpointSetup: readonly MemoryRequest[] = [
  {
    method: 'POST',
    target: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    ...json({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'role-writer' },
      rules: [{ verbs: ['create'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'] }],
    }),
  },
  {
    method: 'POST',
    target: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    ...json({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'role-writer' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'role-writer' },
      subjects: [{ kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' }],
    }),
  },
];

const table = <T>(
  what: string,
  shapes: Readonly<Record<string, (size: number) => T>>,
  request: (value: T) => MemoryRequest,
): Case[] =>
  Object.entries(shapes).map(([shape, make]) => ({
    name: `${what}: ${shape}`,
    group: `${what}: ${shape}`,
    request: (size) => request(make(size)),
  }));

export const endpointCases = (): Case[] => [
  ...table('header', headerValues, (headers) => ({ method: 'GET', target: `${pods}?limit=1`, headers })),
  ...table('header of an unknown path', headerValues, (headers) => ({ method: 'GET', target: '/nothing', headers })),
  ...table('query of a list', queries, (query) => ({ method: 'GET', target: `${pods}?${query}` })),
  ...table('query of a deletion', queries, (query) => ({
    method: 'DELETE',
    target: `/api/v1/namespaces/nothing/pods?dryRun=All&${query}`,
  })),
  ...table('path', paths, (target) => ({ method: 'GET', target })),
  ...table('expression', expressions, policy),
  ...table('schema', schemaShapes, definition),
  { name: 'role: a product of rights', group: 'role', request: role },
];
