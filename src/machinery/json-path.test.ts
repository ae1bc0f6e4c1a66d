import { expect, test } from 'vitest';
import { parseJsonPath } from './json-path.ts';
import type { JsonValue } from './value.ts';

const value = {
  spec: { a: 'x', list: ['p', 'q', 'r'], 'dotted.key': 1 },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', count: 3 },
      { type: 'Done', status: 'False', count: 9 },
    ],
  },
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
  ['.spec.list[ 1 : ]', ['q', 'r']],
  ['.spec.list[0:3:2]', ['p', 'r']],
  ['.status.conditions[?( @.count > 5 )].type', ['Done']],
  [
    '.status..*',
    [
      value.status.conditions,
      value.status.conditions[0]!,
      3,
      'True',
      'Ready',
      value.status.conditions[1]!,
      9,
      'False',
      'Done',
    ].map((each) => each as JsonValue),
  ],
])('A JSON path finds what it names: %s', (path, found) => {
  expect([...parseJsonPath(path)!(value)]).toEqual(found);
});

test.each([
  { name: 'descents', path: '..*'.repeat(20) },
  { name: 'descents behind a wildcard', path: `.list[*]${'..*'.repeat(10)}` },
])('What is asked for is found without all the rest: many $name', ({ path }) => {
  let deep: JsonValue = 'x';
  for (let i = 0; i < 40; i++) deep = [deep, deep];
  const [first] = parseJsonPath(path)!({ list: [deep] });
  expect(first).toBeDefined();
});

test('What is not there is not looked for on all ways to it', () => {
  let deep: JsonValue = 'x';
  for (let i = 0; i < 20; i++) deep = [deep, deep];
  expect([...parseJsonPath(`${'..*'.repeat(10)}.none`)!(deep)]).toEqual([]);
});

test.each([`[${'\t'.repeat(20_000)}:${'\t'.repeat(20_000)}-:]`, `[?(@${'\\<'.repeat(50_000)}"`])(
  'A path that cannot be read is looked at once (row %#)',
  (path) => {
    expect(parseJsonPath(path)).toBeUndefined();
  },
);

test.each(['.a[', 'a b', '[?(x)]', '.a[1'])('What cannot be read finds nothing: %s', (path) => {
  expect(parseJsonPath(path)).toBeUndefined();
});
