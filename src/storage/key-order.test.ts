import { describe, expect, test } from 'vitest';
import { compareByteStrings, endOfPrefix, fromByteString, toByteString } from './key-order.ts';

describe('byte strings', () => {
  test.each([
    { name: 'ASCII', key: '/registry/pods/a' },
    { name: 'control characters', key: '\u0000\u0001\u007f' },
    { name: 'two bytes', key: 'é\u0080\u00ff' },
    { name: 'three bytes', key: '日本\uffff' },
    { name: 'four bytes', key: '\u{1f600}\u{10ffff}' },
  ])('Byte strings come back as the key: $name', ({ key }) => {
    expect(fromByteString(toByteString(key))).toBe(key);
  });

  test('Byte strings are ordered as UTF-8 orders, not as UTF-16', () => {
    const keys = ['a', 'é', '\uff5e', '\u{1f600}'];
    expect(keys.toSorted()).not.toEqual(keys);
    expect(keys.toReversed().sort((a, b) => compareByteStrings(toByteString(a), toByteString(b)))).toEqual(keys);
    expect(compareByteStrings('a', 'a')).toBe(0);
  });

  test('Byte strings with a prefix all come before its end', () => {
    const end = endOfPrefix(toByteString('/a/'));
    for (const key of ['/a/', '/a/\u007f', '/a/\u00ff', '/a/\u{10ffff}z'])
      expect(compareByteStrings(toByteString(key), end)).toBe(-1);
    expect(compareByteStrings(toByteString('/a0'), end)).toBe(1);
  });
});
