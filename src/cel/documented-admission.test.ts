import { describe, expect, test } from 'vitest';
import { AuthorizerValue } from './library/authorizer.ts';
import { boolType, dynType, listType, stringType } from './check/types.ts';
import { adaptAny } from './schema/json-values.ts';
import { admissionEnvironment, admissionRequest, namespaceObject } from './environments/admission.ts';
import { run } from './testing/documented.ts';

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
  ])('Validating Admission Policy: %s', (expression, value) => expect(run(env, expression, bindings)).toBe(value));

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
  ])('Validating Admission Policy of an object: %s', (expression) =>
    expect(run(env, expression, { ...bindings, object: adaptAny(example) })).toBe(true),
  );

  test.each<[string, string]>([
    // As the page misspells it: which fields an object has is not known, which methods there are is.
    ["object.metadata.name.startWith('demo')", "undeclared reference to 'startWith'"],
    ['request.namex', "undefined field 'namex'"],
    ['request.operationn == "CREATE"', "undefined field 'operationn'"],
    ['variables.unknown == 1', "undefined field 'unknown'"],
    ['namespaceObject.spec.x == 1', "undefined field 'x'"],
  ])('Validating Admission Policy: %s is refused', (expression, message) =>
    expect(run(env, expression, bindings)).toContain(message),
  );

  test.each([['params.x == 1'], ["authorizer.path('/').check('get').allowed()"]])(
    'Validating Admission Policy: %s is unknown where there is none',
    (expression) => {
      expect(run(admissionEnvironment({}), expression, {})).toContain('undeclared reference');
    },
  );
});
