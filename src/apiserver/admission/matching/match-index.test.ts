import { expect, test } from 'vitest';
import type { ObjectForms } from '../../../registry/admission.ts';
import { attributesFor, plainForms } from '../testing/attributes.ts';
import { type MatchCriteria, MatchIndex } from './match-index.ts';
import type { Rule } from './rules.ts';

const rule = (more: Partial<Rule> = {}): Rule => ({
  operations: ['*'],
  apiGroups: ['*'],
  apiVersions: ['*'],
  resources: ['pods'],
  ...more,
});

const named = (name: string, rules: readonly Rule[] | undefined, more: Partial<MatchCriteria> = {}) => ({
  name,
  rules,
  ...more,
});
const pod = (name = 'p', more: Parameters<typeof attributesFor>[2] = {}) =>
  attributesFor('pods', { metadata: { name } }, more);

test.each([
  {
    name: 'all with a fitting rule, in order',
    entries: [named('b', [rule()]), named('a', [rule()])],
    found: ['b', 'a'],
  },
  {
    name: 'none without a fitting rule',
    entries: [named('a', [rule({ resources: ['nodes'] })]), named('b', [])],
    found: [],
  },
  { name: 'one without rules that excludes nothing', entries: [named('a', undefined)], found: ['a'] },
  {
    name: 'none that excludes the request',
    entries: [named('a', [rule()], { excludeRules: [rule({ operations: ['CREATE'] })] })],
    found: [],
  },
  {
    name: 'one that excludes another object',
    entries: [named('a', [rule()], { excludeRules: [rule({ resourceNames: ['q'] })] })],
    found: ['a'],
  },
  {
    name: 'none that excludes this object',
    entries: [named('a', [rule()], { excludeRules: [rule({ resourceNames: ['p'] })] })],
    found: [],
  },
  { name: 'one for this object', entries: [named('a', [rule({ resourceNames: ['p'] })])], found: ['a'] },
  { name: 'none for another object', entries: [named('a', [rule({ resourceNames: ['q'] })])], found: [] },
])('The index finds $name', ({ entries, found }) => {
  const index = new MatchIndex(entries);
  const names = (): string[] => index.candidates(pod()).map(({ entry }) => entry.name);
  expect(names()).toEqual(found);
  expect(names()).toEqual(found);
});

test('What is found for one object is not taken for another', () => {
  const index = new MatchIndex([named('a', [rule({ resourceNames: ['p'] })])]);
  expect([pod('p'), pod('q'), pod('p')].map((target) => index.candidates(target).length)).toEqual([1, 0, 1]);
});

test.each([
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
])('The index finds nothing for a %s', (kind) => {
  const everything = new MatchIndex([named('a', [rule({ resources: ['*/*'] })]), named('b', undefined)]);
  const target = pod('p', { kind: { group: 'admissionregistration.k8s.io', version: 'v1', kind } });
  expect(everything.candidates(target)).toEqual([]);
});

test('The rules of a thousand entries are looked at once for a resource and an operation', () => {
  let looks = 0;
  const entries = Array.from({ length: 1000 }, (_, i) => ({
    name: `e${i}`,
    get rules() {
      looks++;
      return [rule({ resources: ['nodes'] })];
    },
  }));
  const index = new MatchIndex(entries);
  index.candidates(pod());
  const first = looks;
  for (let i = 0; i < 100; i++) index.candidates(pod(`p${i}`));
  expect(looks).toBe(first);
});

test('Rules are looked at again when the resource has other versions', () => {
  const v2 = {
    resource: { group: '', version: 'v2', resource: 'pods' },
    kind: { group: '', version: 'v2', kind: 'Pod' },
  };
  const index = new MatchIndex([named('a', [rule({ apiVersions: ['v2'] })])]);
  const withV2: ObjectForms = { ...plainForms, all: [v2] };
  expect(index.candidates(pod())).toEqual([]);
  expect(index.candidates(pod('p', { forms: withV2 })).map(({ form }) => form)).toEqual([v2]);
});
