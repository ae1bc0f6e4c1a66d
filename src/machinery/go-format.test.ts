import { expect, test } from 'vitest';
import { goJsonKind, goSyntax, goTypeName, goValue } from './go-format.ts';
import type { JsonValue } from './value.ts';

test.each<{ value: JsonValue; printed: string; syntax: string; type: string; kind: string }>([
  { value: 'a "b"', printed: 'a "b"', syntax: '"a \\"b\\""', type: 'string', kind: 'string' },
  { value: 5, printed: '5', syntax: '5', type: 'int64', kind: 'number' },
  { value: 12345678, printed: '12345678', syntax: '12345678', type: 'int64', kind: 'number' },
  { value: 1234567.5, printed: '1.2345675e+06', syntax: '1.2345675e+06', type: 'float64', kind: 'number' },
  { value: 123456.5, printed: '123456.5', syntax: '123456.5', type: 'float64', kind: 'number' },
  {
    value: 2 ** 63,
    printed: '9.223372036854776e+18',
    syntax: '9.223372036854776e+18',
    type: 'float64',
    kind: 'number',
  },
  { value: 1e21, printed: '1e+21', syntax: '1e+21', type: 'float64', kind: 'number' },
  { value: 0.00001, printed: '1e-05', syntax: '1e-05', type: 'float64', kind: 'number' },
  { value: -0.0001, printed: '-0.0001', syntax: '-0.0001', type: 'float64', kind: 'number' },
  { value: 9007199254740993n, printed: '9007199254740993', syntax: '9007199254740993', type: 'int64', kind: 'number' },
  { value: true, printed: 'true', syntax: 'true', type: 'bool', kind: 'bool' },
  { value: null, printed: '<nil>', syntax: 'interface {}(nil)', type: '%!s(<nil>)', kind: 'null' },
  {
    value: [1, 'x', [null]],
    printed: '[1 x [<nil>]]',
    syntax: '[]interface {}{1, "x", []interface {}{interface {}(nil)}}',
    type: '[]interface {}',
    kind: 'array',
  },
  {
    value: { b: 1, a: { c: 'd' } },
    printed: 'map[a:map[c:d] b:1]',
    syntax: 'map[string]interface {}{"a":map[string]interface {}{"c":"d"}, "b":1}',
    type: 'map[string]interface {}',
    kind: 'object',
  },
])('$value as Go prints it', ({ value, printed, syntax, type, kind }) => {
  expect([goValue(value), goSyntax(value), goTypeName(value), goJsonKind(value)]).toEqual([
    printed,
    syntax,
    type,
    kind,
  ]);
});
