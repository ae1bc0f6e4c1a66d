import { describe, expect, test } from 'vitest';
import type { Validation } from '../../../../api/gen/types/admissionregistration-v1.ts';
import type { AuthorizationAttributes } from '../../../../auth/authorization/authorizer.ts';
import type { StatusError } from '../../../../machinery/status.ts';
import { attributesFor } from '../../testing/attributes.ts';
import { binding, type Given, pluginOptions, validating } from '../testing/policies.ts';
import { createValidatingPolicies } from './plugin.ts';

const configMap = { metadata: { name: 'c', namespace: 'team' }, data: { k: 'v' } };

async function judge(given: Given) {
  const options = pluginOptions(given);
  const plugin = createValidatingPolicies(options);
  const attributes = attributesFor('configmaps', structuredClone(configMap));
  const refusal = await Promise.resolve(plugin.validate!(attributes)).then(
    () => undefined,
    (error: unknown) => error as StatusError,
  );
  const { warnings, annotations } = attributes;
  return { refusal, warnings, annotations, observed: options.observed };
}

const judgeBy = (validation: Validation, spec: object = {}, bound: object = {}) =>
  judge({ policies: [validating({ validations: [validation], ...spec })], bindings: [binding(bound)] });

const denied = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ";
/** Costs two thirds of what one expression may cost. */
const expensive = "authorizer.path('/a').check('get').allowed() && authorizer.path('/b').check('get').allowed()";
const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run';

describe('a validating policy', () => {
  test.each<[string, Validation, string]>([
    ['its message', { expression: 'false', message: ' m ' }, 'm'],
    ['its expression', { expression: ' false ' }, 'failed expression: false'],
    ['its message expression', { expression: 'false', messageExpression: "'is ' + object.data.k" }, 'is v'],
    ['the message for several lines', { expression: 'false', message: 'm', messageExpression: "'a\\nb'" }, 'm'],
    ['the message for no text', { expression: 'false', message: 'm', messageExpression: "' '" }, 'm'],
    [
      'the message for a text that is too long',
      { expression: 'false', message: 'm', messageExpression: `'${'x'.repeat(5 * 1024 + 1)}'` },
      'm',
    ],
    [
      'the error of an expression that fails',
      { expression: "object.data.none == 'x'" },
      "expression 'object.data.none == 'x'' resulted in error: no such key: none",
    ],
    ['why its expression is none', { expression: '1' }, 'compilation error: must evaluate to bool but got int'],
  ])('Refuses with %s', async (_, validation, message) => {
    const { refusal } = await judgeBy(validation);
    expect(refusal).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: `configmaps "c" is forbidden: ${denied}${message}`,
      details: { name: 'c', kind: 'configmaps', causes: [{ message: `${denied}${message}` }] },
    });
  });

  test.each([
    ['Forbidden', 403],
    ['RequestEntityTooLarge', 413],
    ['Invalid', 422],
  ])('Refuses for the reason %s with the code %i', async (reason, code) =>
    expect((await judgeBy({ expression: 'false', reason })).refusal).toMatchObject({ reason, code }),
  );

  test('A validating policy that fails is passed over where its failure policy says so', async () => {
    const { refusal, observed } = await judgeBy({ expression: "object.data.none == 'x'" }, { failurePolicy: 'Ignore' });
    expect(refusal).toBeUndefined();
    expect(observed).toMatchObject([{ policy: 'p', binding: 'b', action: 'allow', error: 'invalid_error' }]);
  });

  test('Refuses nothing where the binding only warns and notes', async () => {
    const actions = { validationActions: ['Warn', 'Audit'] };
    const { refusal, warnings, annotations, observed } = await judgeBy({ expression: 'false' }, {}, actions);
    expect(refusal).toBeUndefined();
    expect(warnings).toEqual([
      "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': failed expression: false",
    ]);
    expect(annotations).toEqual({
      'validation.policy.admission.k8s.io/validation_failure':
        '[{"message":"failed expression: false","policy":"p","binding":"b","expressionIndex":0,' +
        '"validationActions":["Warn","Audit"]}]',
    });
    expect(observed).toMatchObject([{ action: 'warn' }, { action: 'audit' }]);
  });

  test.each([
    ["object.data.k == 'x'", undefined, 0],
    ["object.data.none == 'x'", "expression 'object.data.none == 'x'' resulted in error: no such key: none", 1],
  ])('A validating policy is not asked unless its condition %s holds', async (expression, message, failed) => {
    const matchConditions = [{ name: 'c', expression }];
    const { refusal, observed } = await judgeBy({ expression: 'false' }, { matchConditions });
    expect(refusal?.message).toBe(message && `configmaps "c" is forbidden: ${denied}${message}`);
    expect(observed[0]).toMatchObject({ what: 'conditions', policy: 'p', operation: 'CREATE', failed });
  });

  test('A validating policy has a budget for all its validations together', async () => {
    const validations = Array.from({ length: 15 }, () => ({ expression: expensive }));
    const { refusal, observed } = await judge({ policies: [validating({ validations })], bindings: [binding()] });
    expect(refusal?.message).toBe(`configmaps "c" is forbidden: ${denied}${outOfBudget}`);
    expect(observed).toMatchObject([{ action: 'deny', error: 'out_of_budget' }]);
  });

  test('Pays for its variables', async () => {
    const names = Array.from({ length: 15 }, (_, i) => `v${i}`);
    const { refusal } = await judge({
      policies: [
        validating({
          variables: names.map((name) => ({ name, expression: expensive })),
          validations: [{ expression: names.map((name) => `variables.${name}`).join(' && ') }],
        }),
      ],
      bindings: [binding()],
    });
    expect(refusal?.message).toContain(outOfBudget);
  });

  test('Asks the authorizer each question once for all expressions', async () => {
    const asked: string[] = [];
    const authorize = async ({ path, user }: AuthorizationAttributes) => {
      await Promise.resolve();
      asked.push(`${user.name} ${path}`);
      return { decision: 'allow', reason: '' } as const;
    };
    const { refusal } = await judge({
      policies: [validating({ validations: [{ expression: expensive }, { expression: expensive }] })],
      bindings: [binding(), binding({}, 'c')],
      authorizer: { authorize },
    });
    expect(refusal).toBeUndefined();
    expect(asked).toEqual(['jane /a', 'jane /b']);
  });

  test('Notes what its expressions say, each value once', async () => {
    const { annotations } = await judge({
      policies: [
        validating({
          auditAnnotations: [
            { key: 'name', valueExpression: "'' + object.metadata.name" },
            { key: 'none', valueExpression: 'null' },
            { key: 'long', valueExpression: `'${'é'.repeat(6 * 1024)}'` },
          ],
        }),
      ],
      bindings: [binding(), binding({}, 'c')],
    });
    expect(annotations).toEqual({ 'p/name': 'c', 'p/long': 'é'.repeat(5 * 1024) });
  });

  test('A validating policy is not asked about what its binding leaves out', async () => {
    const excludeResourceRules = [
      { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] },
    ];
    const others = { matchLabels: { of: 'b' } };
    for (const matchResources of [{ excludeResourceRules }, { namespaceSelector: others }, { objectSelector: others }])
      expect((await judgeBy({ expression: 'false' }, {}, { matchResources })).refusal).toBeUndefined();
  });
});

test('Policies and bindings are asked in the order of their names', async () => {
  const validations = [{ expression: 'false' }];
  const { refusal, warnings } = await judge({
    policies: [validating({ validations }, 'q'), validating({ validations })],
    bindings: [binding({ policyName: 'q' }, 'd'), binding({}, 'c'), binding({ validationActions: ['Warn'] }, 'a')],
  });
  expect(warnings).toHaveLength(1);
  expect(refusal?.message).toContain("'p' with binding 'c'");
});
