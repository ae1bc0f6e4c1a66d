import { describe, expect, test } from 'vitest';
import { type JsonValue } from '../value.ts';
import { apply, failure, refused } from './testing/json-patch.ts';

describe('JSON Patch, RFC 6902, appendix A', () => {
  test.each<{ name: string; document: JsonValue; patch: JsonValue; result: JsonValue }>([
    {
      name: 'A.1 adding an object member',
      document: { foo: 'bar' },
      patch: [{ op: 'add', path: '/baz', value: 'qux' }],
      result: { baz: 'qux', foo: 'bar' },
    },
    {
      name: 'A.2 adding an array element',
      document: { foo: ['bar', 'baz'] },
      patch: [{ op: 'add', path: '/foo/1', value: 'qux' }],
      result: { foo: ['bar', 'qux', 'baz'] },
    },
    {
      name: 'A.3 removing an object member',
      document: { baz: 'qux', foo: 'bar' },
      patch: [{ op: 'remove', path: '/baz' }],
      result: { foo: 'bar' },
    },
    {
      name: 'A.4 removing an array element',
      document: { foo: ['bar', 'qux', 'baz'] },
      patch: [{ op: 'remove', path: '/foo/1' }],
      result: { foo: ['bar', 'baz'] },
    },
    {
      name: 'A.5 replacing a value',
      document: { baz: 'qux', foo: 'bar' },
      patch: [{ op: 'replace', path: '/baz', value: 'boo' }],
      result: { baz: 'boo', foo: 'bar' },
    },
    {
      name: 'A.6 moving a value',
      document: { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
      patch: [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
      result: { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
    },
    {
      name: 'A.7 moving an array element',
      document: { foo: ['all', 'grass', 'cows', 'eat'] },
      patch: [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
      result: { foo: ['all', 'cows', 'eat', 'grass'] },
    },
    {
      name: 'A.8 testing a value: success',
      document: { baz: 'qux', foo: ['a', 2, 'c'] },
      patch: [
        { op: 'test', path: '/baz', value: 'qux' },
        { op: 'test', path: '/foo/1', value: 2 },
      ],
      result: { baz: 'qux', foo: ['a', 2, 'c'] },
    },
    {
      name: 'A.10 adding a nested member object',
      document: { foo: 'bar' },
      patch: [{ op: 'add', path: '/child', value: { grandchild: {} } }],
      result: { foo: 'bar', child: { grandchild: {} } },
    },
    {
      name: 'A.11 ignoring unrecognized elements',
      document: { foo: 'bar' },
      patch: [{ op: 'add', path: '/baz', value: 'qux', xyz: 123 }],
      result: { foo: 'bar', baz: 'qux' },
    },
    {
      name: 'A.14 ~ escape ordering',
      document: { '/': 9, '~1': 10 },
      patch: [{ op: 'test', path: '/~01', value: 10 }],
      result: { '/': 9, '~1': 10 },
    },
    {
      name: 'A.16 adding an array value',
      document: { foo: ['bar'] },
      patch: [{ op: 'add', path: '/foo/-', value: ['abc', 'def'] }],
      result: { foo: ['bar', ['abc', 'def']] },
    },
  ])('JSON Patch, RFC 6902, appendix A: $name', ({ document, patch, result }) => {
    expect(apply(document, patch)).toEqual(result);
  });

  test.each<{ name: string; document: JsonValue; patch: JsonValue }>([
    {
      name: 'A.9 testing a value: error',
      document: { baz: 'qux' },
      patch: [{ op: 'test', path: '/baz', value: 'bar' }],
    },
    {
      name: 'A.12 adding to a nonexistent target',
      document: { foo: 'bar' },
      patch: [{ op: 'add', path: '/baz/bat', value: 'qux' }],
    },
    {
      name: 'A.15 comparing strings and numbers',
      document: { '/': 9, '~1': 10 },
      patch: [{ op: 'test', path: '/~01', value: '10' }],
    },
  ])('JSON Patch, RFC 6902, appendix A refuses $name', ({ document, patch }) => {
    expect(failure(() => apply(document, patch))).toMatchObject(refused);
  });
});
