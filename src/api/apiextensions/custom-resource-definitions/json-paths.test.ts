import { expect, test } from 'vitest';
import { resolveFieldPath } from './json-paths.ts';

const schema = {
  type: 'object',
  properties: { a: { type: 'object', properties: { 'b-c': { type: 'string' } } } },
};

test.each([
  [".a['b-c']", 'string'],
  ['.a.x', 'does not refer to a valid field'],
  ['a', 'expected [ or . but got: a'],
])('Field path %s: %s', (path, expected) => {
  const found = resolveFieldPath(path, schema);
  expect(typeof found === 'string' ? found : found.type).toBe(expected);
});
