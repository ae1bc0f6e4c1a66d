import { describe, expect, test } from 'vitest';
import { readAuditPolicy } from './policy-file.ts';

const file = (rest: string, head = 'apiVersion: audit.k8s.io/v1\nkind: Policy\n'): string => head + rest;
const refused = (text: string): string => {
  try {
    readAuditPolicy(text);
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
};

describe('an audit policy file', () => {
  test('An audit policy file is read from YAML', () => {
    const { policy, warnings } = readAuditPolicy(
      file(`
omitStages: [RequestReceived]
omitManagedFields: true
rules:
- level: Metadata
  users: ["system:serviceaccount:a:b"]
  resources:
  - resources: [secrets, "*/status"]
    resourceNames: [one]
  namespaces: [""]
  omitManagedFields: false
- level: None
  nonResourceURLs: ["/healthz*", "*"]
`),
    );
    expect(warnings).toEqual([]);
    expect(policy).toMatchObject({
      omitStages: ['RequestReceived'],
      omitManagedFields: true,
      rules: [
        {
          level: 'Metadata',
          users: ['system:serviceaccount:a:b'],
          resources: [{ resources: ['secrets', '*/status'], resourceNames: ['one'] }],
          namespaces: [''],
          omitManagedFields: false,
        },
        { level: 'None', nonResourceURLs: ['/healthz*', '*'] },
      ],
    });
  });

  test('An audit policy file is read from JSON, and in the spelling of the specification', () => {
    const { policy } = readAuditPolicy(
      '{"apiVersion":"audit.orch.io/v1","kind":"Policy","rules":[{"level":"RequestResponse"}]}',
    );
    expect(policy.rules).toEqual([{ level: 'RequestResponse' }]);
  });

  test('An audit policy file with unknown fields is used without them, and they are reported', () => {
    const { policy, warnings } = readAuditPolicy(
      file('rules:\n- level: Metadata\n  verb: [get]\n- level: None\n  level: Request\n'),
    );
    expect(policy.rules).toEqual([{ level: 'Metadata' }, { level: 'Request' }]);
    expect(warnings).toEqual([
      'yaml: unmarshal errors: line 7: key "level" already set in map (audit policy; passed over)',
      'unknown field "rules[0].verb" (audit policy; passed over)',
    ]);
  });

  test.each([
    ['no kind', 'rules: []', 'apiVersion: Required value, kind: Required value', ''],
    [
      'another kind',
      '',
      'kind: Unsupported value: "Policies": supported values: "Policy"',
      'apiVersion: audit.k8s.io/v1\nkind: Policies\n',
    ],
    [
      'a version that is gone',
      '',
      'apiVersion: Unsupported value: "audit.k8s.io/v1beta1": supported values: "audit.k8s.io/v1", "audit.orch.io/v1"',
      'apiVersion: audit.k8s.io/v1beta1\nkind: Policy\n',
    ],
    ['no rules', 'rules: []', 'rules: Required value: loaded illegal policy with 0 rules'],
    ['a rule without level', 'rules: [{verbs: [get]}]', 'rules[0].level: Required value'],
    [
      'a level that is none',
      'rules: [{level: None}, {level: All}]',
      'rules[1].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"',
    ],
    [
      'a stage that is none',
      'omitStages: [Received]\nrules: [{level: None}]',
      'omitStages[0]: Invalid value: "Received": allowed stages are ' +
        'RequestReceived,ResponseStarted,ResponseComplete,Panic',
    ],
    [
      'a stage of a rule',
      'rules: [{level: None, omitStages: [Panic, X]}]',
      'rules[0].omitStages[1]: Invalid value: "X"',
    ],
    [
      'a relative path',
      'rules: [{level: None, nonResourceURLs: [healthz]}]',
      'rules[0].nonResourceURLs[0]: Invalid value: "healthz": non-resource URL rules must begin with a \'/\' character',
    ],
    [
      'an asterisk inside a path',
      'rules: [{level: None, nonResourceURLs: ["/a/*/b"]}]',
      'rules[0].nonResourceURLs[0]: Invalid value: "/a/*/b": non-resource URL wildcards \'*\' must be the ' +
        'final character of the rule',
    ],
    [
      'paths and resources',
      'rules: [{level: None, nonResourceURLs: ["/a"], namespaces: [b]}]',
      'rules[0].nonResourceURLs: Invalid value: []string{"/a"}: rules cannot apply to both regular resources ' +
        'and non-resource URLs',
    ],
    [
      'a version in a group',
      'rules: [{level: None, resources: [{group: a}, {group: "rbac.authorization.k8s.io/v1"}]}]',
      'rules[0].resources[1].group: Invalid value: "rbac.authorization.k8s.io/v1"',
    ],
    [
      'names without resources',
      'rules: [{level: None, resources: [{resourceNames: [a]}]}]',
      'rules[0].resources[0].resourceNames: Invalid value: []string{"a"}: using resourceNames requires at ' +
        'least one resource',
    ],
    ['a field of another type', 'rules: [{level: None, verbs: get}]', 'rules.verbs of type []string'],
    ['what is no YAML', 'rules: [', 'yaml: '],
  ])(
    'An audit policy file is refused with %s, by the path of the field',
    (_, text, message, head = undefined as string | undefined) => {
      expect(refused(file(text, head))).toContain(message);
    },
  );
});
