import { describe, expect, test } from 'vitest';
import type { OperationType } from '../../gen/types/admissionregistration-v1.ts';
import type {
  MatchResources,
  MutatingAdmissionPolicy,
  Mutation,
} from '../../gen/types/admissionregistration-v1alpha1.ts';
import { runToEnd } from '../../../machinery/cooperative-scheduling.ts';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { setPolicyDefaults } from '../defaults.ts';
import { validateMutatingPolicy } from './validation.ts';

const applied: Mutation = { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } };
const constraints = (operation: OperationType): MatchResources => ({
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: [operation], resources: ['pods'] }],
});

function problems(spec: Partial<MutatingAdmissionPolicy['spec']>): string[] {
  const policy = {
    metadata: { name: 'p' },
    spec: { matchConstraints: constraints('CREATE'), mutations: [applied], reinvocationPolicy: 'Never', ...spec },
  } as MutatingAdmissionPolicy;
  setPolicyDefaults(policy as never);
  const errors = runToEnd(validateMutatingPolicy(policy, undefined, new FieldErrors()));
  return Array.from(errors, fieldErrorText);
}

describe('a mutating policy', () => {
  test.each<[string, Partial<MutatingAdmissionPolicy['spec']>]>([
    ['applies a configuration', { mutations: [applied] }],
    ['patches', { mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: "[JSONPatch{op: 'remove'}]" } }] }],
    [
      'uses variables',
      {
        variables: [{ name: 'a', expression: '1' }],
        mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{a: variables.a}' } }],
      },
    ],
  ])('A mutating admission policy that %s is valid', (_, spec) => expect(problems(spec)).toEqual([]));

  test.each<[string, Partial<MutatingAdmissionPolicy['spec']>, string[]]>([
    ['no mutations', { mutations: [] }, ['spec.mutations: Required value: mutations must contain at least one item']],
    ['no reinvocation policy', { reinvocationPolicy: undefined }, ['spec.reinvocationPolicy: Required value']],
    [
      'deletions',
      { matchConstraints: constraints('DELETE') },
      [
        'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": ' +
          'supported values: "*", "CONNECT", "CREATE", "UPDATE"',
      ],
    ],
    ['no patch type', { mutations: [{}] }, ['spec.mutations[0].patchType: Required value']],
    [
      'both kinds of changes',
      { mutations: [{ ...applied, jsonPatch: { expression: '[]' } }] },
      [
        'spec.mutations[0].jsonPatch: Invalid value: "{jsonPatch}": ' +
          'must not be specified when patchType is ApplyConfiguration',
      ],
    ],
    [
      'the other kind of change',
      { mutations: [{ ...applied, patchType: 'JSONPatch' }] },
      [
        'spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch',
        'spec.mutations[0].applyConfiguration: Invalid value: "{applyConfiguration}": ' +
          'must not be specified when patchType is JSONPatch',
      ],
    ],
    [
      'an expression of another type',
      {
        mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: 'Object{}' } }],
      },
      [
        'spec.mutations[0].jsonPatch.expression: Invalid value: "Object{}": ' +
          'must evaluate to list(JSONPatch) but got Object',
      ],
    ],
    [
      'an empty expression',
      { mutations: [{ ...applied, applyConfiguration: { expression: ' ' } }] },
      ['spec.mutations[0].applyConfiguration.expression: Required value'],
    ],
  ])('With %s is refused', (_, spec, expected) => expect(problems(spec)).toEqual(expected));
});
