import { describe, expect, test } from 'vitest';
import { fieldErrorText } from '../../machinery/field-error.ts';
import { FieldErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { checkWebhookTarget } from '../meta/webhook-client.ts';
import { isCelIdentifier } from './cel-identifier.ts';
import { checkNamedRule } from './rules.ts';

const good = { operations: ['CREATE' as const], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };

describe('resources of a rule', () => {
  test.each([
    {
      name: 'resources, subresources and wildcards that do not overlap',
      resources: ['pods', 'services/*', '*/status'],
      errors: [] as string[],
    },
    { name: 'a single wildcard with subresources', resources: ['*', 'pods/log'], errors: [] },
    {
      name: 'a single wildcard with a resource',
      resources: ['*', 'pods'],
      errors: [
        'r.resources: Invalid value: []string{"*", "pods"}: if \'*\' is present, must not specify other ' +
          'resources without subresources',
      ],
    },
    {
      name: 'everything and something',
      resources: ['*/*', 'pods'],
      errors: [
        'r.resources: Invalid value: []string{"*/*", "pods"}: if \'*/*\' is present, must not specify other resources',
      ],
    },
    {
      name: 'a subresource after all of them',
      resources: ['pods/*', 'pods/log'],
      errors: ['r.resources[1]: Invalid value: "pods/log": if \'pods/*\' is present, must not specify pods/log'],
    },
    {
      name: 'a subresource after that of every resource',
      resources: ['*/log', 'pods/log'],
      errors: ['r.resources[1]: Invalid value: "pods/log": if \'*/log\' is present, must not specify pods/log'],
    },
    { name: 'an empty text', resources: [''], errors: ['r.resources[0]: Required value'] },
  ])('Resources of a rule: $name', ({ resources, errors }) => {
    expect(ruleErrors({ ...good, resources })).toEqual(errors);
  });

  test('Names of objects are path segments, each once', () => {
    expect(ruleErrors({ ...good, resourceNames: ['a', 'a', 'b/c'] })).toEqual([
      'r.resourceNames[1]: Duplicate value: "a"',
      'r.resourceNames[2]: Invalid value: "b/c": may not contain \'/\'',
    ]);
  });
});

function ruleErrors(rule: Parameters<typeof checkNamedRule>[0]): string[] {
  const errors = new FieldErrors();
  checkNamedRule(rule, FieldPath.of('r'), errors);
  return errors.map(fieldErrorText);
}

describe('target of a webhook', () => {
  test.each([
    { name: 'an HTTPS URL with port and path', target: { url: 'https://a.b:8443/c' }, errors: [] },
    {
      name: 'plain HTTP',
      target: { url: 'http://a.b' },
      errors: [
        'c.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
      ],
    },
    {
      name: 'no host',
      target: { url: 'https:///x' },
      errors: ['c.url: Invalid value: "": host must be specified; desired format: https://host[/path]'],
    },
    {
      name: 'a path with a final slash',
      target: { service: { name: 's', namespace: 'n', port: 443, path: '/a/b/' } },
      errors: [],
    },
    {
      name: 'a relative path',
      target: { service: { name: 's', namespace: 'n', port: 443, path: 'ab' } },
      errors: ['c.service.path: Invalid value: "ab": must start with a \'/\''],
    },
    {
      name: 'a service without anything',
      target: { service: {} },
      errors: [
        'c.service.name: Required value: service name is required',
        'c.service.namespace: Required value: service namespace is required',
        'c.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
      ],
    },
  ])('Target of a webhook: $name', ({ target, errors }) => {
    const found = new FieldErrors();
    checkWebhookTarget(target, FieldPath.of('c'), found);
    expect(found.map(fieldErrorText)).toEqual(errors);
  });
});

test.each([
  ['a', true],
  ['_a1', true],
  ['a-b', false],
  ['1a', false],
  ['in', false],
  ['', false],
])('CEL identifier %s: %s', (text, expected) => {
  expect(isCelIdentifier(text)).toBe(expected);
});
