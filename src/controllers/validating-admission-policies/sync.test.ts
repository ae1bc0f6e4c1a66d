import { describe, expect, it } from 'vitest';
import type { ValidatingAdmissionPolicy } from '../../api/gen/types/admissionregistration-v1.ts';
import { schemaType } from '../../cel/schema/schema-type.ts';
import { expressionWarnings, kindsToCheck } from './sync.ts';

const text = { type: 'string' };
const typeOf = (properties: object) => schemaType({ type: 'object', properties: properties as never }, false)!.type;
const deployment = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  type: typeOf({ spec: { type: 'object', properties: { replicas: { type: 'integer' } } } }),
};
const daemonSet = { ...deployment, kind: 'DaemonSet', type: typeOf({ spec: { type: 'object', properties: {} } }) };
const params = typeOf({ data: { type: 'object', additionalProperties: text } });

const policy = (spec: object): ValidatingAdmissionPolicy =>
  ({ metadata: {}, spec }) as unknown as ValidatingAdmissionPolicy;
const rule = (resources: readonly string[], groups = ['apps'], versions = ['v1']): object => ({
  apiGroups: groups,
  apiVersions: versions,
  resources,
});

describe('the warnings of a policy', () => {
  it.each([
    { name: 'are none when all fits', validations: [{ expression: 'object.spec.replicas <= 5' }], warnings: [] },
    {
      name: 'name the kinds that an expression does not fit',
      kinds: [daemonSet, deployment],
      validations: [{ expression: 'object.spec.replicas <= 5' }],
      warnings: [
        {
          fieldRef: 'spec.validations[0].expression',
          warning:
            "apps/v1, Kind=DaemonSet: ERROR: <input>:1:12: undefined field 'replicas'\n" +
            ' | object.spec.replicas <= 5\n | ...........^\n',
        },
      ],
    },
    {
      name: 'stand apart for each kind',
      kinds: [daemonSet, deployment],
      validations: [{ expression: 'object.x' }],
      warnings: [
        {
          fieldRef: 'spec.validations[0].expression',
          warning:
            "apps/v1, Kind=DaemonSet: ERROR: <input>:1:7: undefined field 'x'\n | object.x\n | ......^\n\n" +
            "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'x'\n | object.x\n | ......^\n",
        },
      ],
    },
    {
      name: 'are about messages too',
      validations: [{ expression: 'true', messageExpression: 'object.other' }],
      warnings: [
        {
          fieldRef: 'spec.validations[0].messageExpression',
          warning:
            "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'other'\n | object.other\n | ......^\n",
        },
      ],
    },
    {
      name: 'know the type of parameters',
      params,
      validations: [{ expression: "params.data.x == 'a'" }, { expression: 'params.data.x == 1' }],
      warnings: [
        {
          fieldRef: 'spec.validations[1].expression',
          warning:
            "apps/v1, Kind=Deployment: ERROR: <input>:1:15: found no matching overload for '_==_' applied to " +
            "'(string, int)'\n | params.data.x == 1\n | ..............^\n",
        },
      ],
    },
    {
      name: 'know the types of variables, and let those pass that are wrong',
      variables: [
        { name: 'replicas', expression: 'object.spec.replicas' },
        { name: 'wrong', expression: 'object.other' },
      ],
      validations: [
        { expression: 'variables.replicas > 1 && variables.wrong' },
        { expression: "variables.replicas == 'a'" },
      ],
      warnings: [
        {
          fieldRef: 'spec.validations[1].expression',
          warning:
            "apps/v1, Kind=Deployment: ERROR: <input>:1:20: found no matching overload for '_==_' applied to " +
            "'(int, string)'\n | variables.replicas == 'a'\n | ...................^\n",
        },
      ],
    },
    { name: 'are none where no kind is known', kinds: [], validations: [{ expression: 'object.other' }], warnings: [] },
  ])('The warnings of a policy: $name', ({ validations, variables, params, kinds = [deployment], warnings }) => {
    expect(expressionWarnings(policy({ validations, variables }), kinds, params)).toEqual(warnings);
  });
});

describe('the kinds that a policy is checked for', () => {
  const kindOf = ({ resource }: { readonly resource: string }): string | undefined =>
    resource === 'unknown' ? undefined : `Kind-${resource}`;

  it.each([
    {
      name: 'are those of its rules in order, each once',
      rules: [rule(['b', 'a']), rule(['a'])],
      kinds: ['Kind-a', 'Kind-b'],
    },
    { name: 'are none of a rule for all groups', rules: [rule(['a'], ['*'])], kinds: [] },
    { name: 'are none of a rule for all versions', rules: [rule(['a'], ['apps'], ['*'])], kinds: [] },
    { name: 'are not those of subresources and wildcards', rules: [rule(['a/status', '*', 'b'])], kinds: ['Kind-b'] },
    { name: 'are not those that are not served', rules: [rule(['unknown', 'a'])], kinds: ['Kind-a'] },
    {
      name: 'are ten of a rule',
      rules: [rule('abcdefghijklmn'.split(''))],
      kinds: 'abcdefghij'.split('').map((each) => `Kind-${each}`),
    },
  ])('The kinds that a policy is checked for: $name', ({ rules, kinds }) => {
    const found = kindsToCheck(policy({ matchConstraints: { resourceRules: rules } }).spec, kindOf);
    expect(found.map(({ kind }) => kind)).toEqual(kinds);
  });
});
