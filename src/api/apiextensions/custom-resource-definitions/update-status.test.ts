import { describe, expect, test } from 'vitest';
import type { CustomResourceDefinition, CustomResourceDefinitionNames } from '../../gen/types/apiextensions-v1.ts';
import { updateStatus } from './update-status.ts';

const schema = { openAPIV3Schema: { type: 'object' } };

function definition(
  plural: string,
  names: CustomResourceDefinitionNames = {},
  more: { annotations?: Record<string, string>; group?: string; accepted?: CustomResourceDefinitionNames } = {},
): CustomResourceDefinition {
  const { group = 'example.com' } = more;
  return {
    metadata: { name: `${plural}.${group}`, ...(more.annotations && { annotations: more.annotations }) },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: 'thing', kind: 'Thing', listKind: 'ThingList', ...names },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
    status: { acceptedNames: more.accepted ?? {}, storedVersions: ['v1'] },
  };
}

const judged = (
  subject: CustomResourceDefinition,
  others: CustomResourceDefinition[] = [],
  establish = true,
): CustomResourceDefinition => {
  updateStatus(subject, { others, establish, now: '2024-01-01T00:00:00Z' });
  return subject;
};

const conditions = ({ status }: CustomResourceDefinition): string[] =>
  (status.conditions ?? []).map(({ type, status: state, reason, message }) => `${type}=${state} ${reason}: ${message}`);

describe('names of definitions', () => {
  test('Names of definitions are accepted when no other definition claims them', () => {
    const subject = judged(definition('things', { shortNames: ['th'], categories: ['all'] }));
    expect(conditions(subject)).toEqual([
      'NamesAccepted=True NoConflicts: no conflicts found',
      'Established=True InitialNamesAccepted: the initial names have been accepted',
    ]);
    expect(subject.status.acceptedNames).toEqual(subject.spec.names);
  });

  test.each([
    {
      name: 'kind',
      names: { singular: 'other', listKind: 'OtherList' },
      reason: 'KindConflict',
      message: '"Thing" is already in use',
    },
    {
      name: 'list kind',
      names: { singular: 'other', kind: 'Other' },
      reason: 'ListKindConflict',
      message: '"ThingList" is already in use',
    },
    {
      name: 'short names',
      names: { singular: 'other', kind: 'Other', listKind: 'OtherList', shortNames: ['th', 'ok'] },
      reason: 'ShortNamesConflict',
      message: '"th" is already in use',
    },
    {
      name: 'singular',
      names: { kind: 'Other', listKind: 'OtherList' },
      reason: 'SingularConflict',
      message: '"thing" is already in use',
    },
  ])('Names of definitions: $name that another one has', ({ names, reason, message }) => {
    const first = judged(definition('things', { shortNames: ['th'] }));
    const second = judged(definition('others', names), [first]);
    expect(conditions(second)).toEqual([
      `NamesAccepted=False ${reason}: ${message}`,
      'Established=False NotAccepted: not all names are accepted',
    ]);
    expect(second.status.acceptedNames.plural).toBe('others');
  });

  test('A new short name that is taken leaves the accepted one, and what was established stays', () => {
    const first = judged(definition('things', { shortNames: ['th'] }));
    const second = judged(
      definition('others', { singular: 'other', kind: 'Other', listKind: 'OtherList', shortNames: ['ot'] }),
      [first],
    );
    second.spec.names.shortNames = ['th'];
    judged(second, [first]);
    expect(second.status.acceptedNames.shortNames).toEqual(['ot']);
    expect(conditions(second)).toEqual([
      'NamesAccepted=False ShortNamesConflict: "th" is already in use',
      'Established=True InitialNamesAccepted: the initial names have been accepted',
    ]);
  });

  test('With several servers a definition waits', () => {
    expect(conditions(judged(definition('things'), [], false))[1]).toBe(
      'Established=False Installing: the initial names have been accepted',
    );
  });

  test('A condition that stays keeps its time', () => {
    const subject = judged(definition('things'));
    updateStatus(subject, { others: [], establish: true, now: '2025-01-01T00:00:00Z' });
    expect(subject.status.conditions!.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([
      '2024-01-01T00:00:00Z',
      '2024-01-01T00:00:00Z',
    ]);
  });
});

describe('what the server says of a definition', () => {
  test.each([
    {
      name: 'approved',
      value: 'https://github.com/kubernetes/kubernetes/pull/1',
      condition: 'True ApprovedAnnotation: approved in https://github.com/kubernetes/kubernetes/pull/1',
    },
    {
      name: 'not approved',
      value: 'unapproved, testing',
      condition: 'False UnapprovedAnnotation: not approved: "unapproved, testing"',
    },
    {
      name: 'without an annotation',
      value: undefined,
      condition:
        'False MissingAnnotation: protected groups must have approval annotation "api-approved.kubernetes.io", ' +
        'see https://github.com/kubernetes/enhancements/pull/1111',
    },
  ])('A group of the community: $name', ({ value, condition }) => {
    const subject = judged(
      definition(
        'things',
        {},
        {
          group: 'things.k8s.io',
          ...(value === undefined ? {} : { annotations: { 'api-approved.kubernetes.io': value } }),
        },
      ),
    );
    expect(conditions(subject)[2]).toBe(`KubernetesAPIApprovalPolicyConformant=${condition}`);
  });

  test('A schema that is not structural, until it is', () => {
    const subject = definition('things');
    subject.spec.versions![0]!.schema = { openAPIV3Schema: { type: 'object', properties: { a: {} } } };
    expect(conditions(judged(subject))[2]).toBe(
      'NonStructuralSchema=True Violations: spec.versions[0].schema.openAPIV3Schema.properties[a].type: ' +
        'Required value: must not be empty for specified object fields',
    );
    subject.spec.versions![0]!.schema = schema;
    expect(conditions(judged(subject))).toHaveLength(2);
  });
});
