import { expect, test } from 'vitest';
import { readConfigurationDocument } from './configuration-document.ts';
import { required } from './field-error.ts';
import { FieldPath } from './field-path.ts';

const identity = { apiVersions: ['config.example/v1', 'config.example/v1beta1'], kind: 'Settings' };
const head = 'apiVersion: config.example/v1\nkind: Settings\n';

test('A configuration document is its members besides its type', () =>
  expect(readConfigurationDocument(`${head}a: 1\nb: [x]`, identity, (members) => members)).toEqual({ a: 1, b: ['x'] }));

test.each([
  { name: 'a list', text: '- a', message: 'the document is no object' },
  { name: 'nothing', text: '', message: 'the document is no object' },
  {
    name: 'a member twice',
    text: `${head}a: 1\na: 2`,
    message: 'yaml: unmarshal errors:\n  line 4: key "a" already set in map',
  },
  {
    name: 'no type',
    text: '{}',
    message: '[apiVersion: Required value, kind: Required value]',
  },
  {
    name: 'another type',
    text: 'apiVersion: v2\nkind: 7',
    message:
      '[apiVersion: Unsupported value: "v2": supported values: "config.example/v1", "config.example/v1beta1", ' +
      'kind: Unsupported value: "7": supported values: "Settings"]',
  },
])('A configuration document with $name is refused', ({ text, message }) =>
  expect(() => readConfigurationDocument(text, identity, (members) => members)).toThrow(new Error(message)),
);

test('Errors of the members of a configuration document are told behind those of its type', () =>
  expect(() =>
    readConfigurationDocument('kind: Settings', identity, (_, errors) => errors.push(required(FieldPath.of('a')))),
  ).toThrow(new Error('[apiVersion: Required value, a: Required value]')));
