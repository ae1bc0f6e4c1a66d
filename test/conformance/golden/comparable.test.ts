import { expect, test } from 'vitest';
import { comparable, withoutStructDiffs } from './comparable.ts';

test.each([
  {
    name: 'at the end',
    text:
      'spec: Forbidden: no\n\u00a0\u00a0core.PodSpec{\n' +
      '-\u00a0\tNodeName: "",\n+\u00a0\tNodeName: "n",\n\u00a0\u00a0}\n',
    expected: 'spec: Forbidden: no\ncore.PodSpec\n',
  },
  {
    name: 'between two findings',
    text: '[a: no\n  core.A{\n  \tB: {\n- \t\tC: 1,\n  \t},\n  }\n, b: no\n  core.A{\n- \tB: 1,\n  }\n]',
    expected: '[a: no\ncore.A\n, b: no\ncore.A\n]',
  },
  { name: 'that is none', text: 'a\n  b {\n  }\n', expected: 'a\n  b {\n  }\n' },
])('Of a diff of Go structs in a text the type is left: one $name', ({ text, expected }) => {
  expect(withoutStructDiffs(text)).toBe(expected);
});

const refusal = (group: string, ...fields: string[]) => ({
  kind: 'Status',
  message: `T "a" is invalid: [${fields.map((field) => `${field}: m`).join(', ')}]`,
  details: { group, causes: fields.map((field) => ({ field, message: 'm' })) },
});

test('The causes of a refused custom object are compared in one order, in the message too', () => {
  expect(comparable(refusal('u.example.com', 'b', 'a'))).toEqual(refusal('u.example.com', 'a', 'b'));
  expect(comparable(refusal('apps', 'b', 'a'))).toEqual(refusal('apps', 'b', 'a'));
});

test('Of the version of a build the first two numbers are compared', () => {
  const ofBuild = (gitVersion: string) => comparable({ major: '1', gitVersion, compiler: gitVersion });
  expect(ofBuild('v1.32.13')).toEqual(ofBuild('v1.32.0+orch'));
  expect(ofBuild('v1.32.13')).not.toEqual(ofBuild('v1.31.13'));
});

test('Of the health checks all but that of etcd for readiness are compared', () => {
  expect(comparable('[+]ping ok\n[+]etcd-readiness ok\nreadyz check passed\n')).toBe(
    '[+]ping ok\nreadyz check passed\n',
  );
  expect(comparable('[-]etcd-readiness failed: reason withheld\n')).toBe('[-]etcd-readiness failed: reason withheld\n');
});
