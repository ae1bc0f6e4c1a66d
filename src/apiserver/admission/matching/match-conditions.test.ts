import { expect, test } from 'vitest';
import type { AuthorizationAttributes, Authorizer } from '../../../auth/authorization/authorizer.ts';
import type { AdmissionAttributes } from '../../../registry/admission.ts';
import { attributesFor } from '../testing/attributes.ts';
import { createMatchConditions } from './match-conditions.ts';
import { VersionedObjects } from './versioned-objects.ts';

const asked: AuthorizationAttributes[] = [];
const authorizer: Authorizer = {
  authorize: async (attributes) => {
    asked.push(attributes);
    await Promise.resolve();
    return { decision: attributes.verb === 'get' ? 'allow' : 'noOpinion', reason: '' };
  },
};

function evaluate(expressions: readonly string[], attributes: AdmissionAttributes) {
  const { resource, kind } = attributes;
  return createMatchConditions(
    expressions.map((expression, i) => ({ name: `c${i}`, expression })),
    { authorizer },
  )!.evaluate({ attributes, form: { resource, kind }, objects: new VersionedObjects(attributes) });
}

const configMap = attributesFor('configmaps', { metadata: { name: 'a' }, data: { k: 'v' } } as never, {
  options: { kind: 'CreateOptions', fieldManager: 'me' },
  user: { name: 'jane', uid: '7', groups: ['g'], extra: { x: ['y'] } },
});
const notThere = "object.data.none == 'x'";
const noKey = `expression '${notThere}' resulted in error: no such key: none`;

test.each([
  { expressions: ['true', 'true'], result: { matches: true, failed: 0 } },
  { expressions: ['true', 'false'], result: { matches: false, failed: 0 } },
  { expressions: ["object.data.k == 'v' && oldObject == null"], result: { matches: true, failed: 0 } },
  {
    expressions: [
      "request.operation == 'CREATE' && request.name == 'a' && request.namespace == 'team' && !request.dryRun",
    ],
    result: { matches: true, failed: 0 },
  },
  {
    expressions: ["request.kind.kind == 'ConfigMap' && request.requestResource.resource == 'configmaps'"],
    result: { matches: true, failed: 0 },
  },
  {
    expressions: [
      "request.userInfo == request.userInfo && request.userInfo.extra['x'] == ['y'] && 'g' in request.userInfo.groups",
    ],
    result: { matches: true, failed: 0 },
  },
  { expressions: ["request.options.fieldManager == 'me'"], result: { matches: true, failed: 0 } },
  { expressions: ['has(request.subResource)'], result: { matches: false, failed: 0 } },
  { expressions: ['has(namespaceObject.metadata)'], result: { matches: false, failed: 0 } },
  {
    expressions: ["authorizer.group('').resource('pods').check('get').allowed()"],
    result: { matches: true, failed: 0 },
  },
  { expressions: ["authorizer.requestResource.check('delete').allowed()"], result: { matches: false, failed: 0 } },
  { expressions: [notThere], result: { error: noKey, failed: 1 } },
  { expressions: [notThere, 'false'], result: { matches: false, failed: 1 } },
  { expressions: ['false', notThere], result: { matches: false, failed: 1 } },
  {
    expressions: [notThere, "object.data.other == 'y'", 'true'],
    result: {
      error: `[${noKey}, expression 'object.data.other == 'y'' resulted in error: no such key: other]`,
      failed: 2,
    },
  },
  {
    expressions: ['nothing'],
    result: { error: expect.stringContaining('compilation error: compilation failed') as string, failed: 1 },
  },
])('Match conditions $expressions', async ({ expressions, result }) => {
  expect(await evaluate(expressions, configMap)).toEqual(result);
});

test('An authorizer that is asked several questions answers each of them once', async () => {
  asked.length = 0;
  const right = "authorizer.group('').resource('pods').namespace('x')";
  await evaluate(
    [`${right}.check('get').allowed() && !${right}.check('list').allowed() && ${right}.check('get').allowed()`],
    configMap,
  );
  expect(asked.map(({ verb, namespace, user }) => `${user.name} ${verb} ${namespace}`)).toEqual([
    'jane get x',
    'jane list x',
  ]);
});

test('Conditions have a budget together', async () => {
  const list = `[${Array.from({ length: 400 }, () => '0').join(', ')}]`;
  const dear = `${list}.all(x, ${list}.exists(y, y == x + 1)) == false`;
  const one = await evaluate([`!(${dear})`], configMap);
  expect(one).toEqual({ matches: false, failed: 0 });
  expect(
    await evaluate(
      Array.from({ length: 64 }, () => "authorizer.path('/a').check('get').allowed()"),
      configMap,
    ),
  ).toEqual({
    error: 'validation failed due to running out of cost budget, no further validation rules will be run',
    failed: 0,
  });
});

test('Conditions are compiled once', async () => {
  let reads = 0;
  const condition = {
    name: 'c',
    get expression() {
      reads++;
      return 'true';
    },
  };
  const conditions = createMatchConditions([condition], { authorizer })!;
  const { resource, kind } = configMap;
  const input = { attributes: configMap, form: { resource, kind }, objects: new VersionedObjects(configMap) };
  await Promise.all([conditions.evaluate(input), conditions.evaluate(input)]);
  expect(reads).toBe(1);
});
