import { expect, test } from 'vitest';
import { goDate, goFields, goPointer, goText } from './go-struct.ts';

test('A struct has all its fields in Go syntax, in their order', () => {
  const fields = { Name: goText(undefined), Kind: goText('a"b'), Controller: goPointer('bool', undefined) };
  expect(goFields('v1.Thing', fields).text).toBe(String.raw`v1.Thing{Name:"", Kind:"a\"b", Controller:(*bool)(nil)}`);
});

test('A struct that is long is cut', () => {
  const { text } = goFields('v1.Thing', { Name: goText('x'.repeat(100_000)), Kind: goText('y'.repeat(100_000)) });
  expect(text.length).toBeLessThan(20_000);
});

test('A pointer in Go syntax is an address', () => {
  expect(goPointer('bool', true)).toMatch(/^\(\*bool\)\(0x[0-9a-f]+\)$/);
});

test.each([
  { text: undefined, shown: 'time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)' },
  { text: '2024-05-01T10:07:09Z', shown: 'time.Date(2024, time.May, 1, 10, 7, 9, 0, time.UTC)' },
])('A time in Go syntax is $shown', ({ text, shown }) => {
  expect(goDate(text)).toBe(shown);
});
