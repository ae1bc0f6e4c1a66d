import { expect, test } from 'vitest';
import { type JsonValue, RawJson } from '../value.ts';
import { stringifyJson, stringifyUnordered } from './writer.ts';

let deep: JsonValue = 1;
for (let depth = 0; depth < 20_000; depth++) deep = [deep];

test.each<{ name: string; value: JsonValue }>([
  { name: 'members and items', value: { b: [1, 'é', null, true], a: { c: {} } } },
  { name: 'a member that is undefined', value: { a: undefined } as unknown as JsonValue },
  { name: 'an integer beyond doubles', value: { a: 9223372036854775807n as unknown as number } },
  { name: 'carried JSON', value: { a: new RawJson('{"x":12345678901234567890}').asValue() } },
  { name: 'zero with a sign', value: [-0] },
  { name: 'great depth', value: deep },
])('JSON in any order says what JSON in order says: $name', ({ value }) => {
  const sorted = (text: string): string => [...text].sort().join('');
  expect(sorted(stringifyUnordered(value))).toBe(sorted(stringifyJson(value)));
});
