import { expect, test } from 'vitest';
import { parseJsonPath } from './json-path.ts';
import type { JsonValue } from './value.ts';

const value: JsonValue = {
  spec: { a: 'x', list: ['p', 'q', 'r'], 'dotted.key': 1 },
  status: { conditions: [{ type: 'Ready', status: 'True', count: 3 }, { type: 'Done', status: 'False', count: 9 }] },
};

test.each<[path: string, found: JsonValue[]]>([
  ['.spec.a', ['x']],
  ['{.spec.a}', ['x']],
  ['.spec.none', []],
  ['.spec.list[*]', ['p', 'q', 'r']],
  ['.spec.list[1]', ['q']],
  ['.spec.list[-1]', ['r']],
  ['.spec.list[9]', []],
  ['.spec.list[0:2]', ['p', 'q']],
  [".spec['dotted.key']", [1]],
  ['.spec.dotted\\.key', [1]],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  [".status.conditions[?(@.type=='Done')].status", ['False']],
  ['.status.conditions[?(@.count>5)].type', ['Done']],
  ['.status.conditions[?(@.none)].type', []],
  ['..type', ['Ready', 'Done']],
])('%s', (path, found) => {
  expect(parseJsonPath(path)!(value)).toEqual(found);
});

test.each(['.a[', 'a b', '[?(x)]', '.a[1'])('what cannot be read finds nothing: %s', (path) => {
  expect(parseJsonPath(path)).toBeUndefined();
});
