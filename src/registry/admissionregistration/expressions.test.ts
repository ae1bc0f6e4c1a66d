import { afterEach, expect, test, vi } from 'vitest';
import { fieldErrorText } from '../../machinery/field-error.ts';
import { FieldErrors } from '../../machinery/field-errors.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { runCooperatively } from '../../machinery/cooperative-scheduling.ts';
import { definitionOf } from '../resource-definitions.ts';
import type { StrategyContext } from '../strategy.ts';

const context: StrategyContext = {
  now: new Date(),
  user: { name: 'u', groups: [] },
  enabled: () => true,
  apiVersion: 'v1',
  allowPrivileged: true,
};

afterEach(() => vi.restoreAllMocks());

const conditions = (...expressions: string[]): object[] =>
  expressions.map((expression, i) => ({ name: `c${i}`, expression }));

const policy = (spec: object): object => ({
  metadata: { name: 'p' },
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: {
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      resourceRules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], scope: '*' }],
    },
    ...spec,
  },
});

const webhook = (name: string, ...expressions: string[]): object => ({
  name,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  clientConfig: { url: 'https://hooks.example/' },
  matchConditions: conditions(...expressions),
});

/** Every read of the clock is a time slice later. */
function slowClock(): void {
  let ms = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (ms += 25));
}

/**
 * What is wrong with the object, and how many rounds of the event loop others had until that was known: two for each
 * turn.
 */
async function judge(
  resource: string,
  object: object,
  old?: object,
): Promise<{ readonly errors: readonly string[]; readonly turns: number }> {
  const { strategy } = definitionOf('admissionregistration.k8s.io', resource);
  slowClock();
  let rounds = 0;
  let next = setImmediate(function other() {
    rounds++;
    next = setImmediate(other);
  });
  const errors = await runCooperatively(
    strategy.validateInTurns!(object as KubeObject, old as KubeObject | undefined, new FieldErrors(), context),
  );
  clearImmediate(next);
  return { errors: errors.map(fieldErrorText), turns: rounds / 2 };
}

const rules = {
  matchConditions: conditions('true', 'object == null'),
  variables: [
    { name: 'n', expression: '1' },
    { name: 'm', expression: 'variables.n + 1' },
  ],
  validations: [{ expression: 'variables.m > 1', messageExpression: "'no'" }],
  auditAnnotations: [{ key: 'k', valueExpression: "'v'" }],
};

test.each([
  ['a policy', 'validatingadmissionpolicies', policy(rules), undefined, 7 * 3],
  [
    'a policy that changes',
    'validatingadmissionpolicies',
    policy(rules),
    policy({ validations: [{ expression: 'true' }] }),
    7 * 3,
  ],
  [
    'validating webhooks',
    'validatingwebhookconfigurations',
    {
      metadata: { name: 'c' },
      webhooks: [webhook('a.example.com', 'true', 'object != null'), webhook('b.example.com', 'false')],
    },
    undefined,
    3 * 3,
  ],
  [
    'mutating webhooks',
    'mutatingwebhookconfigurations',
    { metadata: { name: 'c' }, webhooks: [webhook('a.example.com', 'true', 'object != null')] },
    undefined,
    2 * 3,
  ],
])(
  'The event loop runs while an expression of %s is parsed, checked, and has its literals examined',
  async (_, resource, object, old, turns) => {
    expect(await judge(resource, object, old)).toEqual({ errors: [], turns });
  },
);

test('Each expression has its error in its place', async () => {
  const { errors } = await judge(
    'validatingadmissionpolicies',
    policy({
      ...rules,
      matchConditions: conditions('none', 'true', '1'),
      auditAnnotations: [
        { key: 'k', valueExpression: '1' },
        { key: 'k', valueExpression: 'null' },
      ],
    }),
  );
  expect(errors).toEqual([
    expect.stringContaining(
      'spec.matchConditions[0].expression: Invalid value: "none": compilation failed: ERROR: <input>:1:1: ' +
        "undeclared reference to 'none'",
    ),
    'spec.matchConditions[2].expression: Invalid value: "1": must evaluate to bool but got int',
    'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string ' +
      'null_type] but got int',
    'spec.auditAnnotations[1].key: Duplicate value: "k"',
  ]);
});
