import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { boolType } from '../../cel/index.ts';
import { writeYaml } from '../../machinery/json/yaml.ts';
import { runToEnd } from '../../machinery/cooperative-scheduling.ts';
import { readAuthorizationConfiguration } from './configuration-file.ts';
import { joined } from '../../../test/support/patterns.ts';

const file = fileURLToPath(import.meta.url);
const webhook = (more: object = {}): object => ({
  timeout: '3s',
  subjectAccessReviewVersion: 'v1',
  failurePolicy: 'Deny',
  connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: file },
  ...more,
});
const entry = (name: string, more: object = {}): object => ({ type: 'Webhook', name, webhook: webhook(more) });
const read = (authorizers: unknown, more: object = {}) =>
  runToEnd(
    readAuthorizationConfiguration(
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AuthorizationConfiguration',
        authorizers,
        ...more,
      }),
    ),
  );
const conditions = (...expressions: string[]): object => ({
  matchConditionSubjectAccessReviewVersion: 'v1',
  matchConditions: expressions.map((expression) => ({ expression })),
});

describe('AuthorizationConfiguration', () => {
  test('Several webhooks among other authorizers, in order', () => {
    const authorizers = read([
      entry('first', {
        authorizedTTL: '1m',
        unauthorizedTTL: '1s',
        ...conditions("has(request.resourceAttributes) && request.resourceAttributes.namespace == 'x'"),
      }),
      { type: 'Node', name: 'node' },
      { type: 'RBAC', name: 'rbac' },
      entry('last.example.com', {
        failurePolicy: 'NoOpinion',
        subjectAccessReviewVersion: 'v1beta1',
        connectionInfo: { type: 'InClusterConfig' },
      }),
    ]);
    expect(authorizers.map(({ type, name }) => `${type} ${name}`)).toEqual([
      'Webhook first',
      'Node node',
      'RBAC rbac',
      'Webhook last.example.com',
    ]);
    expect(authorizers[0]!.webhook).toEqual({
      authorizedTtlMs: 60_000,
      unauthorizedTtlMs: 1000,
      timeoutMs: 3000,
      version: 'v1',
      onFailure: 'deny',
      kubeConfigFile: file,
      conditions: [expect.objectContaining({ type: boolType })],
    });
    expect(authorizers[3]!.webhook).toEqual({
      authorizedTtlMs: 300_000,
      unauthorizedTtlMs: 30_000,
      timeoutMs: 3000,
      version: 'v1beta1',
      onFailure: 'noOpinion',
      kubeConfigFile: undefined,
      conditions: [],
    });
  });

  test('Compiling a match condition of an AuthorizationConfiguration yields to other work in each of its steps', () => {
    const text = JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthorizationConfiguration',
      authorizers: [entry('a', conditions('true', "request.user == 'x'")), entry('b', conditions('true'))],
    });
    expect([...readAuthorizationConfiguration(text)]).toHaveLength(3 * 4);
  });

  test('An AuthorizationConfiguration is read from YAML, and in older versions', () => {
    const document = {
      apiVersion: 'apiserver.config.k8s.io/v1alpha1',
      kind: 'AuthorizationConfiguration',
      authorizers: [{ type: 'RBAC', name: 'rbac' }],
    };
    expect(runToEnd(readAuthorizationConfiguration(writeYaml(document as never).toString()))).toEqual([
      { type: 'RBAC', name: 'rbac', webhook: undefined },
    ]);
  });

  test.each([
    {
      name: 'nothing to ask',
      authorizers: [],
      message: 'authorizers: Required value: at least one authorization mode must be defined',
    },
    {
      name: 'an unknown type',
      authorizers: [{ type: 'Oracle', name: 'oracle' }],
      message:
        'authorizers[0].type: Unsupported value: "Oracle": supported values: "ABAC", "AlwaysAllow", ' +
        '"AlwaysDeny", "Node", "RBAC", "Webhook"',
    },
    {
      name: 'no type and name',
      authorizers: [{}],
      message: '[authorizers[0].type: Required value, authorizers[0].name: Required value]',
    },
    {
      name: 'a type twice',
      authorizers: [
        { type: 'RBAC', name: 'rbac' },
        { type: 'RBAC', name: 'rbac' },
      ],
      message: '[authorizers[1].type: Duplicate value: "RBAC", authorizers[1].name: Duplicate value: "rbac"]',
    },
    {
      name: 'a name that is not that of the type',
      authorizers: [{ type: 'RBAC', name: 'mine' }],
      message: 'authorizers[0].name: Invalid value: "mine": expected name rbac for authorizer RBAC instead of mine',
    },
    {
      name: 'a webhook twice',
      authorizers: [entry('a'), entry('a')],
      message: 'authorizers[1].name: Duplicate value: "a"',
    },
    {
      name: 'a name that is none',
      authorizers: [entry('A b')],
      message: /^authorizers\[0\]\.name: Invalid value: "A b": authorizer name is invalid: /,
    },
    {
      name: 'a webhook without its settings',
      authorizers: [{ type: 'Webhook', name: 'a' }],
      message: 'authorizers[0].webhook: Required value: required when type=Webhook',
    },
    {
      name: 'settings of a webhook elsewhere',
      authorizers: [{ type: 'RBAC', name: 'rbac', webhook: {} }],
      message: 'authorizers[0].webhook: Invalid value: "non-null": may only be specified when type=Webhook',
    },
    {
      name: 'a timeout too long',
      authorizers: [entry('a', { timeout: '31s' })],
      message: 'authorizers[0].webhook.timeout: Invalid value: "31s": must be > 0s and <= 30s',
    },
    {
      name: 'no timeout',
      authorizers: [entry('a', { timeout: undefined })],
      message: 'authorizers[0].webhook.timeout: Required value',
    },
    {
      name: 'a time that is none',
      authorizers: [entry('a', { authorizedTTL: '5' })],
      message: 'authorizers[0].webhook.authorizedTTL: Invalid value: "5": time: missing unit in duration "5"',
    },
    {
      name: 'another failure policy',
      authorizers: [entry('a', { failurePolicy: 'Allow' })],
      message:
        'authorizers[0].webhook.failurePolicy: Unsupported value: "Allow": supported values: "Deny", "NoOpinion"',
    },
    {
      name: 'another version',
      authorizers: [entry('a', { subjectAccessReviewVersion: 'v2' })],
      message:
        'authorizers[0].webhook.subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1"',
    },
    {
      name: 'conditions without a version',
      authorizers: [entry('a', { matchConditions: [{ expression: 'true' }] })],
      message:
        'authorizers[0].webhook.matchConditionSubjectAccessReviewVersion: Required value: required if match ' +
        'conditions are specified',
    },
    {
      name: 'a condition twice',
      authorizers: [entry('a', conditions('true', 'true'))],
      message: 'authorizers[0].webhook.matchConditions[1].expression: Duplicate value: "true"',
    },
    {
      name: 'an empty condition',
      authorizers: [entry('a', conditions(''))],
      message: 'authorizers[0].webhook.matchConditions[0].expression: Required value',
    },
    {
      name: 'a condition about what is not there',
      authorizers: [entry('a', conditions('request.nothing == 1'))],
      message: joined(
        /^authorizers\[0\]\.webhook\.matchConditions\[0\]\.expression: Invalid value: "request\.nothing == 1": /,
        /compilation failed: ERROR/,
      ),
    },
    {
      name: 'a condition that is no truth value',
      authorizers: [entry('a', conditions('request.user'))],
      message: 'must evaluate to bool but got string',
    },
    {
      name: 'too many conditions',
      authorizers: [entry('a', conditions(...Array.from({ length: 65 }, (_, i) => `request.user != 'u${i}'`)))],
      message: 'authorizers[0].webhook.matchConditions: Too many: 65: must have at most 64 items',
    },
    {
      name: 'a relative path',
      authorizers: [entry('a', { connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: 'x' } })],
      message: 'authorizers[0].webhook.connectionInfo.kubeConfigFile: Invalid value: "x": must be an absolute path',
    },
    {
      name: 'a file that is none',
      authorizers: [entry('a', { connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '/' } })],
      message: 'must be a regular file',
    },
    {
      name: 'a file for a pod',
      authorizers: [entry('a', { connectionInfo: { type: 'InClusterConfig', kubeConfigFile: file } })],
      message: 'can only be set when type=KubeConfigFile',
    },
    {
      name: 'a field that does not exist',
      authorizers: [entry('a', { retries: 3 })],
      message: 'authorizers[0].webhook.retries: Invalid value: "retries": unknown field',
    },
    {
      name: 'something else than a list',
      authorizers: 'RBAC',
      message: 'authorizers: Invalid value: "RBAC": must be a list',
    },
  ])('AuthorizationConfiguration is refused with $name', ({ authorizers, message }) => {
    expect(() => read(authorizers)).toThrow(message);
  });

  test.each([
    {
      name: 'another kind',
      text: '{"apiVersion":"v1","kind":"Pod"}',
      message: 'no kind "Pod" is registered for version "v1"',
    },
    { name: 'no document', text: '', message: 'it holds no AuthorizationConfiguration' },
    { name: 'no YAML', text: '{', message: 'yaml: ' },
    { name: 'a key twice', text: 'kind: a\nkind: b', message: 'already set' },
  ])('AuthorizationConfiguration is refused when it is $name', ({ text, message }) => {
    expect(() => runToEnd(readAuthorizationConfiguration(text))).toThrow(message);
  });
});
