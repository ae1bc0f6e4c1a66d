/** Expressions that the public documentation of Kubernetes gives as examples, each with what it should say. */
import { describe, expect, test } from 'vitest';
import { type Ask, AuthorizerValue, ResourceCheck } from './library/authorizer.ts';
import { boolType, dynType, listType, mapType, nullType, stringType } from './check/types.ts';
import { type Environment, environment } from './environment.ts';
import { adaptAny } from './schema/json-values.ts';
import { compileRules } from './schema/rules.ts';
import { namedSchemaType, type OpenApiSchema, schemaType } from './schema/schema-type.ts';
import { admissionEnvironment, admissionRequest, namespaceObject } from './uses/admission.ts';
import { userSchema } from './uses/users.ts';
import { type Bindings } from './evaluate/state.ts';
import { ListValue } from './values/values.ts';

const S: OpenApiSchema = { type: 'string' };
const I: OpenApiSchema = { type: 'integer' };
const list = (items: OpenApiSchema, more: OpenApiSchema = {}): OpenApiSchema => ({ type: 'array', items, ...more });
const object = (properties: Record<string, OpenApiSchema>): OpenApiSchema => ({ type: 'object', properties });
const map = (values: OpenApiSchema): OpenApiSchema => ({ type: 'object', additionalProperties: values });

function evaluateRule(schema: OpenApiSchema, rule: string, self: unknown, oldSelf: unknown, isRoot: boolean): unknown {
  const [compiled] = compileRules({ ...schema, 'x-kubernetes-validations': [{ rule }] }, isRoot)!;
  if (compiled!.rule.program === undefined) return compiled!.rule.problem;
  const { adapt } = schemaType(schema, isRoot)!;
  const outcome = compiled!.rule.program.evaluate({ self: adapt(self), oldSelf: adapt(oldSelf) });
  return 'error' in outcome ? outcome.error : outcome.value;
}

const details = object({ names: list(S), details: map(S) });
const sets = { 'x-kubernetes-list-type': 'set' } as const;

describe('CustomResourceDefinitions: validation rules', () => {
  test.each<[rule: string, schema: OpenApiSchema, holds: unknown, fails: unknown]>([
    [
      'self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas',
      object({ minReplicas: I, replicas: I, maxReplicas: I }),
      { minReplicas: 1, replicas: 2, maxReplicas: 3 },
      { minReplicas: 3, replicas: 2, maxReplicas: 3 },
    ],
    [
      "'Available' in self.stateCounts",
      object({ stateCounts: map(I) }),
      { stateCounts: { Available: 1 } },
      { stateCounts: {} },
    ],
    [
      '(size(self.list1) == 0) != (size(self.list2) == 0)',
      object({ list1: list(S), list2: list(S) }),
      { list1: [], list2: ['a'] },
      { list1: [], list2: [] },
    ],
    [
      "!('MY_KEY' in self.map1) || self.map1['MY_KEY'].matches('^[a-zA-Z]*$')",
      object({ map1: map(S) }),
      { map1: { MY_KEY: 'abc' } },
      { map1: { MY_KEY: '1' } },
    ],
    [
      "self.envars.filter(e, e.name == 'MY_ENV').all(e, e.value.matches('^[a-zA-Z]*$'))",
      object({ envars: list(object({ name: S, value: S })) }),
      {
        envars: [
          { name: 'MY_ENV', value: 'a' },
          { name: 'B', value: '1' },
        ],
      },
      { envars: [{ name: 'MY_ENV', value: '1' }] },
    ],
    [
      'has(self.expired) && self.created + self.ttl < self.expired',
      object({
        expired: { type: 'string', format: 'date-time' },
        created: { type: 'string', format: 'date-time' },
        ttl: { type: 'string', format: 'duration' },
      }),
      { created: '2024-01-01T00:00:00Z', ttl: '1h', expired: '2024-01-01T02:00:00Z' },
      { created: '2024-01-01T00:00:00Z', ttl: '3h', expired: '2024-01-01T02:00:00Z' },
    ],
    ["self.health.startsWith('ok')", object({ health: S }), { health: 'ok, fine' }, { health: 'not ok' }],
    [
      "self.widgets.exists(w, w.key == 'x' && w.foo < 10)",
      object({ widgets: list(object({ key: S, foo: I })) }),
      { widgets: [{ key: 'x', foo: 9 }] },
      { widgets: [{ key: 'x', foo: 10 }] },
    ],
    ["type(self) == string ? self == '100%' : self == 1000", { 'x-kubernetes-int-or-string': true }, '100%', 999],
    [
      'self.set1.all(e, !(e in self.set2))',
      object({ set1: list(S, sets), set2: list(S, sets) }),
      { set1: ['a'], set2: ['b'] },
      { set1: ['a', 'b'], set2: ['b'] },
    ],
    [
      'size(self.names) == size(self.details) && self.names.all(n, n in self.details)',
      details,
      { names: ['a'], details: { a: '' } },
      { names: ['a'], details: { b: '' } },
    ],
    ["self.details.all(key, key.matches('^[a-zA-Z]*$'))", details, { details: { a: '' } }, { details: { 1: '' } }],
    [
      "self.details.all(key, self.details[key].matches('^[a-zA-Z]*$'))",
      details,
      { details: { a: 'b' } },
      { details: { a: '2' } },
    ],
    [
      'size(self.clusters.filter(c, c.name == self.primary)) == 1',
      object({ primary: S, clusters: list(object({ name: S })) }),
      { primary: 'a', clusters: [{ name: 'a' }] },
      { primary: 'a', clusters: [{ name: 'a' }, { name: 'a' }] },
    ],
    ['self.__namespace__ > 0', object({ namespace: I }), { namespace: 1 }, { namespace: 0 }],
    ['self.x__dash__prop > 0', object({ 'x-prop': I }), { 'x-prop': 1 }, { 'x-prop': 0 }],
    ['self.redact__underscores__d > 0', object({ redact__d: I }), { redact__d: 1 }, { redact__d: 0 }],
    ["self.startsWith('kube')", S, 'kube-system', 'default'],
    [
      'self.status.actual <= self.spec.maxDesired',
      object({ status: object({ actual: I }), spec: object({ maxDesired: I }) }),
      { status: { actual: 1 }, spec: { maxDesired: 1 } },
      { status: { actual: 2 }, spec: { maxDesired: 1 } },
    ],
    [
      'self.status.availableReplicas >= self.spec.minReplicas',
      object({ status: object({ availableReplicas: I }), spec: object({ minReplicas: I }) }),
      { status: { availableReplicas: 1 }, spec: { minReplicas: 1 } },
      { status: { availableReplicas: 0 }, spec: { minReplicas: 1 } },
    ],
    [
      "self.components['Widget'].priority < 10",
      object({ components: map(object({ priority: I })) }),
      { components: { Widget: { priority: 9 } } },
      { components: { Widget: { priority: 10 } } },
    ],
    [
      'self.values.all(value, value >= 0 && value < 100)',
      object({ values: list(I) }),
      { values: [0, 99] },
      { values: [0, 100] },
    ],
    ['has(self.foo)', object({ foo: I }), { foo: 0 }, {}],
    ["self['xyz'].foo > 0", map(object({ foo: I })), { xyz: { foo: 1 } }, { xyz: { foo: 0 } }],
    ['size(self) == 1', list(S), ['a'], []],
    ['self > 0', I, 1, 0],
    [
      '(self.list1.size() == 0) != (self.list2.size() == 0)',
      object({ list1: list(S), list2: list(S) }),
      { list1: [], list2: ['a'] },
      { list1: ['b'], list2: ['a'] },
    ],
    [
      'self.names.size() == self.details.size() && self.names.all(n, n in self.details)',
      details,
      { names: ['a'], details: { a: '' } },
      { names: ['a'], details: {} },
    ],
    ["type(self) == string ? self == '99%' : self == 42", { 'x-kubernetes-int-or-string': true }, 42, '42%'],
    [
      "self.intOrString < 100 || self.intOrString == '50%'",
      object({ intOrString: { 'x-kubernetes-int-or-string': true } }),
      { intOrString: '50%' },
      { intOrString: 100 },
    ],
    ['self.names.isSorted()', object({ names: list(S) }), { names: ['a', 'b'] }, { names: ['b', 'a'] }],
    [
      'self.items.map(x, x.weight).sum() == 1.0',
      object({ items: list(object({ weight: { type: 'number' } })) }),
      { items: [{ weight: 0.25 }, { weight: 0.75 }] },
      { items: [{ weight: 0.5 }] },
    ],
    [
      'self.lowPriorities.map(x, x.priority).max() < self.highPriorities.map(x, x.priority).min()',
      object({ lowPriorities: list(object({ priority: I })), highPriorities: list(object({ priority: I })) }),
      { lowPriorities: [{ priority: 1 }], highPriorities: [{ priority: 2 }] },
      { lowPriorities: [{ priority: 2 }], highPriorities: [{ priority: 2 }] },
    ],
    [
      "self.names.indexOf('should-be-first') == 1",
      object({ names: list(S) }),
      { names: ['a', 'should-be-first'] },
      { names: ['should-be-first'] },
    ],
    ['self.foo == self.bar && self.bar > 1', object({ foo: I, bar: I }), { foo: 2, bar: 2 }, { foo: 2, bar: 1 }],
  ])('%s', (rule, schema, holds, fails) => {
    expect(evaluateRule(schema, rule, holds, holds, false)).toBe(true);
    expect(evaluateRule(schema, rule, fails, fails, false)).toBe(false);
  });

  test.each([
    ['self.metadata.name.startsWith(self.prefix)', { metadata: { name: 'web-1' }, prefix: 'web' }, true],
    ["self.metadata.name == 'singleton'", { metadata: { name: 'other' }, prefix: '' }, false],
    ["self.kind == 'Foo' && self.apiVersion == 'example.com/v1'", { apiVersion: 'example.com/v1', kind: 'Foo' }, true],
  ])('at the root: %s', (rule, self, value) =>
    expect(evaluateRule(object({ prefix: S }), rule, self, self, true)).toBe(value),
  );

  test.each([
    ['self == oldSelf', 'a', 'a', true],
    ['self == oldSelf', 'a', 'b', false],
    ["oldSelf != 'a' || self in ['a', 'b']", 'c', 'a', false],
  ])('a transition rule: %s', (rule, self, old, value) => expect(evaluateRule(S, rule, self, old, false)).toBe(value));
});

function run(env: Environment, expression: string, bindings: Bindings): unknown {
  const compiled = env.compile(expression);
  if ('failure' in compiled) return compiled.failure;
  const outcome = compiled.evaluate(bindings);
  if ('error' in outcome) return outcome.error;
  return outcome.value instanceof ListValue ? [...outcome.value] : outcome.value;
}

describe('Common Expression Language in Kubernetes: libraries', () => {
  const allow: Ask = (question) => ({
    allowed: question.verb === 'get' || question.serviceAccount?.name === 'robot',
    reason: `${question.verb} ${JSON.stringify(question)}`,
  });
  const authorizer = new AuthorizerValue(allow);
  const env = admissionEnvironment({ authorizer: true });
  const bindings = {
    authorizer,
    'authorizer.requestResource': new ResourceCheck(authorizer, {
      group: 'apps',
      resource: 'deployments',
      namespace: 'default',
      name: 'web',
    }),
  };

  test.each<[string, unknown]>([
    ["['a', 'b', 'c'].isSorted()", true],
    ['[0.25, 0.75].map(x, x).sum() == 1.0', true],
    ['[1, 2].max() < [3, 4].min()', true],
    ["['a', 'should-be-first'].indexOf('should-be-first') == 1", true],
    ["['a', 'b', 'a'].lastIndexOf('a')", 2],
    ['[].sum() == 0', true],
    ["'abc 123'.find('[0-9]+')", '123'],
    ["'1, 2, 3, 4'.findAll('[0-9]+').map(x, int(x)).sum() < 100", true],
    ["'123 abc 456'.findAll('[0-9]+', 1)", ['123']],
    ["url('https://example.com:80/').getHost()", 'example.com:80'],
    ["url('https://example.com/path with spaces/').getEscapedPath()", '/path%20with%20spaces/'],
    ["url('https://user:pass@[::1]:80/a?k=1&k=2').getHostname()", '::1'],
    ["url('https://example.com/?k=a&k=b%20c').getQuery()['k']", ['a', 'b c']],
    ["url('https://example.com/x').getScheme()", 'https'],
    ["url('/absolute-path').getHost()", ''],
    ["isURL('https://a:b:c/')", false],
    ["isURL('../relative-path')", false],
    ["isURL('https://:80')", true],
    ["authorizer.path('/healthz').check('get').allowed()", true],
    ["authorizer.path('/healthz').check('post').allowed()", false],
    ["authorizer.group('').resource('pods').namespace('default').check('create').allowed()", false],
    ["authorizer.serviceAccount('default', 'robot').group('').resource('pods').check('create').allowed()", true],
    ["authorizer.requestResource.check('get').allowed()", true],
    ["authorizer.requestResource.subresource('status').check('update').errored()", false],
    [
      "authorizer.group('').resource('pods').fieldSelector('spec.nodeName=a').labelSelector('x')" +
        ".check('list').reason().contains('spec.nodeName=a')",
      true,
    ],
    ["quantity('500000G').isInteger()", true],
    ["quantity('50k').asInteger()", 50000],
    ["quantity('9999999999999999999999999999999999999G').asInteger()", 'cannot convert value to integer'],
    ["quantity('50k').add(quantity('20k')) == quantity('70k')", true],
    ["quantity('50k').sub(20000) == quantity('30000')", true],
    ["quantity('50k').add(20).sub(quantity('100k')).sub(-50000) == quantity('20')", true],
    ["quantity('9999999999999999999999999999999999999G').asApproximateFloat() > 9.9e45", true],
    ["quantity('200M').compareTo(quantity('0.2G'))", 0],
    ["quantity('150Mi').isGreaterThan(quantity('100Mi'))", true],
    ["quantity('50M').isLessThan(quantity('100M'))", true],
    ["isQuantity('1.3Gi')", true],
    ["isQuantity('1.3GiB')", false],
    ["quantity('-1').sign()", -1],
    ["isIP('127.0.0.1')", true],
    ["isIP('127.0.0.256')", false],
    ["isIP('::ffff:1.2.3.4')", false],
    ["ip.isCanonical('2001:db8::ABCD')", false],
    ["ip('::1').family() == 6", true],
    ["ip('::1').isLoopback()", true],
    ["ip('fe80::1').isLinkLocalUnicast()", true],
    ["ip('224.0.0.1').isLinkLocalMulticast()", true],
    ["ip('192.168.0.1').isGlobalUnicast()", true],
    ["ip('255.255.255.255').isGlobalUnicast()", false],
    ["ip('0.0.0.0').isUnspecified()", true],
    ["ip('127.0.0.1') == ip('127.0.0.1')", true],
    ["string(ip('2001:db8:0::1'))", '2001:db8::1'],
    ["type(ip('::1')) == net.IP", true],
    ["cidr('192.168.0.0/24').containsIP(ip('192.168.0.1'))", true],
    ["cidr('192.168.0.0/24').containsIP('192.169.0.1')", false],
    ["cidr('192.168.0.0/24').containsCIDR('192.168.0.0/25')", true],
    ["cidr('192.168.0.0/25').containsCIDR(cidr('192.168.0.0/24'))", false],
    ["string(cidr('192.168.0.3/24').masked())", '192.168.0.0/24'],
    ["cidr('::1/128').prefixLength()", 128],
    ["isCIDR('192.168.0.0/33')", false],
    ["cidr('192.168.0.1/24').ip() == ip('192.168.0.1')", true],
    ["!format.dns1123Label().validate('my-label-name').hasValue()", true],
    ["format.named('dns1123Label').value().validate('Not a label').value().size() > 0", true],
    ["format.named('unknown').hasValue()", false],
    ["format.datetime().validate('2021-01-01T00:00:00Z').hasValue()", false],
    ["format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()", false],
    ["format.dns1123LabelPrefix().validate('my-prefix-').hasValue()", false],
    ["format.byte().validate('!').value()", ['invalid base64']],
    ['sets.contains([1, 2, 3, 4], [2, 3])', true],
    ['sets.equivalent([1, 2], [2, 1, 1])', true],
    ["sets.intersects(['a'], ['b', 'a'])", true],
    ['[1, 2, 3].all(i, v, i < v)', true],
    ["{'a': 1}.transformMap(k, v, v + 1) == {'a': 2}", true],
    ["'%s is %d'.format([dyn('a'), 1])", 'a is 1'],
    ["'tacocat'.substring(4)", 'cat'],
    ["['hello', 'mellow'].join(' ')", 'hello mellow'],
    ["{'a': {'b': 1}}.?a.?b.orValue(2)", 1],
    ['1 < 1.5 && 2u > 1', true],
  ])('%s', (expression, value) => expect(run(env, expression, bindings)).toEqual(value));
});

/** The page gives them; its own server would not take them. */
describe('Common Expression Language in Kubernetes: examples that do not compile', () => {
  const env = admissionEnvironment({ authorizer: true });

  test.each<[string, string]>([
    [
      "quantity('50k').add('20k') == quantity('70k')",
      "found no matching overload for 'add' applied to 'kubernetes.Quantity.(string)'",
    ],
    [
      "authorizer.serviceAccount('default', 'myserviceaccount').resource('deployments').check('delete').allowed()",
      "found no matching overload for 'resource' applied to 'kubernetes.authorization.Authorizer.(string)'",
    ],
  ])('%s', (expression, message) => expect(run(env, expression, {})).toContain(message));
});

describe('Validating Admission Policy', () => {
  const variables = new Map([
    ['environment', stringType],
    ['containers', listType(dynType)],
    ['exempt', boolType],
    ['containersToCheck', listType(dynType)],
    ['foo', stringType],
  ]);
  const env = admissionEnvironment({ params: true, authorizer: true, variables });
  const deployment = {
    metadata: { name: 'demo-web', labels: { app: 'x' } },
    spec: {
      replicas: 5,
      metadata: { labels: { foo: 'bar' } },
      template: { spec: { containers: [{ image: 'prod.example.com/web' }] } },
    },
  };
  const request = {
    operation: 'CREATE',
    name: 'web',
    userInfo: { username: 'alice', groups: ['system:authenticated'] },
    resource: { group: 'apps', version: 'v1', resource: 'deployments' },
  };
  const bindings = {
    object: adaptAny(deployment),
    oldObject: null,
    params: adaptAny({ maxReplicas: 3 }),
    request: admissionRequest.adapt(request),
    namespaceObject: namespaceObject.adapt({ metadata: { name: 'default', labels: { environment: 'prod' } } }),
    authorizer: new AuthorizerValue(({ verb }) => ({ allowed: verb !== 'breakglass', reason: '' })),
    variables: adaptAny({
      environment: 'prod',
      containers: deployment.spec.template.spec.containers,
      exempt: false,
      containersToCheck: deployment.spec.template.spec.containers,
      foo: 'bar',
    }),
  };

  test.each<[string, unknown]>([
    ['object.spec.replicas <= 5', true],
    ['object.spec.replicas <= params.maxReplicas', false],
    [
      "'object.spec.replicas must be no greater than ' + string(params.maxReplicas)",
      'object.spec.replicas must be no greater than 3',
    ],
    ["!(request.resource.group == 'coordination.k8s.io' && request.resource.resource == 'leases')", true],
    ["!('system:nodes' in request.userInfo.groups)", true],
    ["request.resource.group != 'rbac.authorization.k8s.io'", true],
    [
      "'environment' in namespaceObject.metadata.labels ? namespaceObject.metadata.labels['environment'] : 'prod'",
      'prod',
    ],
    ["variables.containers.all(c, c.image.startsWith(variables.environment + '.'))", true],
    ["'Deployment spec.replicas set to ' + string(object.spec.replicas)", 'Deployment spec.replicas set to 5'],
    ["request.operation == 'DELETE' || object.spec.replicas > 50", false],
    ['object == null || oldObject == null', true],
    ["has(object.metadata.annotations) && 'x' in object.metadata.annotations", false],
    ['object.replicas > 1', 'no such key: replicas'],
    ['params != null', true],
    ['!has(params.optionalNumber) || (params.optionalNumber >= 5 && params.optionalNumber <= 10)', true],
    ['object.spec.replicas > 50', false],
    ["'foo' in object.spec.metadata.labels ? object.spec.metadata.labels['foo'] : 'default'", 'bar'],
    ["variables.foo == 'bar'", true],
    ["'exempt' in object.metadata.labels && object.metadata.labels['exempt'] == 'true'", false],
    ["variables.containers.filter(c, c.image.contains('example.com')).size() == 1", true],
    ["variables.exempt || variables.containersToCheck.all(c, c.image.startsWith(variables.environment + '.'))", true],
    [
      "'only ' + variables.environment + ' images are allowed in namespace ' + namespaceObject.metadata.name",
      'only prod images are allowed in namespace default',
    ],
    [
      "!authorizer.group('admissionregistration.k8s.io').resource('validatingwebhookconfigurations')" +
        ".name('my-webhook.example.com').check('breakglass').allowed()",
      true,
    ],
    ["object.metadata.name.startsWith('demo')", true],
    ["has(object.namex) ? object.namex == 'special' : request.name == 'special'", false],
  ])('%s', (expression, value) => expect(run(env, expression, bindings)).toBe(value));

  const example = {
    minReplicas: 1,
    replicas: 2,
    maxReplicas: 3,
    stateCounts: { Available: 1 },
    list1: [],
    list2: ['a'],
    map1: { MY_KEY: 'abc' },
    MY_KEY: 'abc',
    envars: [{ name: 'MY_ENV', value: 'a' }],
    health: 'ok',
    widgets: [{ key: 'x', foo: 9 }],
    metadata: { name: 'web-1' },
    prefix: 'web',
    set1: ['a'],
    set2: ['b'],
    names: ['a'],
    details: { a: '' },
    primary: 'a',
    clusters: [{ name: 'a' }],
  };

  test.each([
    ['object.minReplicas <= object.replicas && object.replicas <= object.maxReplicas'],
    ["'Available' in object.stateCounts"],
    ['(size(object.list1) == 0) != (size(object.list2) == 0)'],
    ["!('MY_KEY' in object.map1) || object['MY_KEY'].matches('^[a-zA-Z]*$')"],
    ["object.envars.filter(e, e.name == 'MY_ENV').all(e, e.value.matches('^[a-zA-Z]*$'))"],
    ['!(has(object.expired) && object.created + object.ttl < object.expired)'],
    ["object.health.startsWith('ok')"],
    ["object.widgets.exists(w, w.key == 'x' && w.foo < 10)"],
    ["(type(object) == string ? object == '100%' : object == 1000) == false"],
    ['object.metadata.name.startsWith(object.prefix)'],
    ['object.set1.all(e, !(e in object.set2))'],
    ['size(object.names) == size(object.details) && object.names.all(n, n in object.details)'],
    ['size(object.clusters.filter(c, c.name == object.primary)) == 1'],
  ])('of an object: %s', (expression) =>
    expect(run(env, expression, { ...bindings, object: adaptAny(example) })).toBe(true),
  );

  test.each<[string, string]>([
    // As the page misspells it: which fields an object has is not known, which methods there are is.
    ["object.metadata.name.startWith('demo')", "undeclared reference to 'startWith'"],
    ['request.namex', "undefined field 'namex'"],
    ['request.operationn == "CREATE"', "undefined field 'operationn'"],
    ['variables.unknown == 1', "undefined field 'unknown'"],
    ['namespaceObject.spec.x == 1', "undefined field 'x'"],
  ])('%s is refused', (expression, message) => expect(run(env, expression, bindings)).toContain(message));

  test.each([['params.x == 1'], ["authorizer.path('/').check('get').allowed()"]])(
    '%s is unknown where there is none',
    (expression) => {
      expect(run(admissionEnvironment({}), expression, {})).toContain('undeclared reference');
    },
  );
});

describe('Authenticating: structured configuration', () => {
  const claimsEnvironment = environment({ variables: { claims: mapType(stringType, dynType) } });
  const userInfo = namedSchemaType('kubernetes.UserInfo', userSchema);
  const userEnvironment = environment({ variables: { user: userInfo.type } });
  const claims = {
    username: 'foo',
    tenant: '72f988bf',
    sub: 'alice',
    email: 'alice@example.com',
    email_verified: true,
    exp: 1700086400,
    nbf: 1700000000,
    roles: 'admin,dev',
    hd: 'example.com',
    groups: ['a', 'b'],
  };

  test.each<[string, unknown]>([
    ["claims.username + ':external-user'", 'foo:external-user'],
    ["'system:' + claims.username", 'system:foo'],
    ['claims.sub', 'alice'],
    ['claims.tenant', '72f988bf'],
    ["claims.email.endsWith('@example.com')", true],
    ['claims.exp - claims.nbf <= 86400', true],
    ["claims.sub + ':external-user'", 'alice:external-user'],
    ["claims.roles.split(',')", ['admin', 'dev']],
    ['claims.?email_verified.orValue(true) == true', true],
    ["claims.hd == 'example.com'", true],
    ["claims.groups.map(g, 'prefix:' + g)", ['prefix:a', 'prefix:b']],
    ["has(claims.missing) ? claims.missing : ''", ''],
    ['claims.missing', 'no such key: missing'],
  ])('%s', (expression, value) =>
    expect(run(claimsEnvironment, expression, { claims: adaptAny(claims) })).toEqual(value),
  );

  test("a name that a rule refuses: !user.username.startsWith('system:')", () => {
    expect(
      run(userEnvironment, "!user.username.startsWith('system:')", {
        user: userInfo.adapt({ username: 'system:foo' }),
      }),
    ).toBe(false);
  });

  test.each<[string, unknown]>([
    ["!user.username.startsWith('system:')", true],
    ["user.groups.all(group, !group.startsWith('system:'))", false],
    ["user.extra['example.com/tenant'][0] == 't'", true],
  ])('%s', (expression, value) =>
    expect(
      run(userEnvironment, expression, {
        user: userInfo.adapt({ username: 'alice', groups: ['system:masters'], extra: { 'example.com/tenant': ['t'] } }),
      }),
    ).toBe(value),
  );
});

describe('Authorization: match conditions of a webhook', () => {
  const attributes = object({ namespace: S, verb: S, group: S, version: S, resource: S, subresource: S, name: S });
  const accessReview = namedSchemaType(
    'kubernetes.SubjectAccessReviewSpec',
    object({
      user: S,
      groups: list(S),
      resourceAttributes: attributes,
      nonResourceAttributes: object({ path: S, verb: S }),
    }),
  );
  const env = environment({ variables: { request: accessReview.type } });
  const spec = {
    user: 'alice',
    groups: ['dev'],
    resourceAttributes: { namespace: 'kube-system', verb: 'get', resource: 'pods' },
  };

  test.each<[string, unknown]>([
    ['has(request.resourceAttributes)', true],
    ["request.resourceAttributes.namespace == 'kube-system'", true],
    ["!('system:serviceaccounts:kube-system' in request.groups)", true],
    ['has(request.nonResourceAttributes)', false],
    ["has(request.resourceAttributes.subresource) && request.resourceAttributes.subresource == 'status'", false],
  ])('%s', (expression, value) => expect(run(env, expression, { request: accessReview.adapt(spec) })).toBe(value));
});

test('an expression of another type is refused', () => {
  const env = environment({ variables: { x: dynType } });
  expect(env.compile("'a'", boolType)).toEqual({ failure: 'must evaluate to bool but got string' });
  expect(env.compile('x', boolType)).toEqual({ failure: 'must evaluate to bool but got dyn' });
  expect(env.compile('1', stringType, nullType)).toEqual({
    failure: 'must evaluate to one of [string null_type] but got int',
  });
});
