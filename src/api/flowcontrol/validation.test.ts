import { describe, expect, test } from 'vitest';
import type { FlowSchemaSpec, PriorityLevelConfigurationSpec } from '../gen/types/flowcontrol-v1.ts';
import { fieldErrorText } from '../../machinery/field-error.ts';
import { validateFlowSchema } from './flow-schemas/validation.ts';
import { mandatoryFlowSchemas, mandatoryPriorityLevels } from './mandatory.ts';
import { setPriorityLevelDefaults, validatePriorityLevel } from './priority-level-configurations/validation.ts';

const schemaErrors = (name: string, spec: FlowSchemaSpec): string[] =>
  validateFlowSchema({ metadata: { name }, spec, status: {} }).map(fieldErrorText);
const levelErrors = (name: string, spec: PriorityLevelConfigurationSpec): string[] =>
  validatePriorityLevel({ metadata: { name }, spec, status: {} }).map(fieldErrorText);

describe('mandatory objects', () => {
  test.each([...mandatoryFlowSchemas])('Flow schema %s is valid as it is, and only so', (name, spec) => {
    expect(schemaErrors(name, spec)).toEqual([]);
    expect(schemaErrors(name, { ...spec, rules: [] })).toEqual([
      expect.stringContaining(`spec of '${name}' must equal the fixed value`),
    ]);
  });

  test.each([...mandatoryPriorityLevels])('Priority level %s is valid as it is', (name, spec) => {
    expect(levelErrors(name, spec)).toEqual([]);
  });

  test('The exempt level may be given shares', () => {
    expect(
      levelErrors('exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 7, lendablePercent: 50 } }),
    ).toEqual([]);
  });
});

describe('rules of a flow schema', () => {
  const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'], clusterScope: true };
  const spec = { priorityLevelConfiguration: { name: 'l' }, matchingPrecedence: 5 };
  test.each([
    {
      name: 'members of another kind of subject',
      rules: [{ subjects: [{ kind: 'User', group: { name: 'g' } }], resourceRules: [rule] }],
      errors: [
        "spec.rules[0].subjects[0].user: Required value: user is required when subject kind is 'User'",
        "spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'",
      ],
    },
    {
      name: 'a service account without namespace',
      rules: [{ subjects: [{ kind: 'ServiceAccount', serviceAccount: { name: '*' } }], resourceRules: [rule] }],
      errors: [
        'spec.rules[0].subjects[0].serviceAccount.namespace: Required value: must specify namespace for ' +
          'service account',
      ],
    },
    {
      name: 'what is no namespace',
      rules: [
        { subjects: [{ kind: 'Group', group: { name: 'g' } }], resourceRules: [{ ...rule, namespaces: ['a', 'b.c'] }] },
      ],
      errors: [
        'spec.rules[0].resourceRules[0].namespaces[1]: Invalid value: "b.c": each member of this list must be ' +
          "'*' or a DNS-1123 label; must not contain dots",
      ],
    },
    {
      name: 'URLs with wildcards inside',
      rules: [
        {
          subjects: [{ kind: 'Group', group: { name: 'g' } }],
          nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a/*', '/a*/b'] }],
        },
      ],
      errors: [
        'spec.rules[0].nonResourceRules[0].nonResourceURLs[1]: Invalid value: "/a*/b": wildcard can only ' +
          'do suffix matching',
      ],
    },
  ])('Rules of a flow schema: $name', ({ rules, errors }) => {
    expect(schemaErrors('s', { ...spec, rules })).toEqual(errors);
  });
});

test('Queues of a level are filled in, and a hand of them must fit the hash', () => {
  const level = {
    metadata: { name: 'l' },
    spec: {
      type: 'Limited',
      limited: { limitResponse: { type: 'Queue', queuing: { queues: 2048 } } },
    } as PriorityLevelConfigurationSpec,
    status: {},
  };
  setPriorityLevelDefaults(level);
  expect(level.spec.limited).toEqual({
    nominalConcurrencyShares: 30,
    lendablePercent: 0,
    limitResponse: { type: 'Queue', queuing: { queues: 2048, handSize: 8, queueLengthLimit: 50 } },
  });
  expect(validatePriorityLevel(level).map(fieldErrorText)).toEqual([
    'spec.limited.limitResponse.queuing.handSize: Invalid value: 8: required entropy bits of deckSize 2048 and ' +
      'handSize 8 should not be greater than 60',
  ]);
});
