import { describe, expect, test } from 'vitest';
import { isEqual } from './equal.ts';
import { createMap } from './value.ts';

const map = (entries: Record<string, unknown>) => Object.assign(createMap<unknown>(), entries);

describe('semantic equality', () => {
  test.each<{ name: string; a: unknown; b: unknown; equal: boolean }>([
    { name: 'unset and empty list', a: undefined, b: [], equal: true },
    { name: 'unset and empty map', a: { labels: map({}) }, b: {}, equal: true },
    { name: 'unset and empty struct, which a pointer can tell apart', a: { emptyDir: {} }, b: {}, equal: false },
    { name: 'unset and zero', a: { replicas: 0 }, b: {}, equal: false },
    { name: 'null and unset', a: { a: null }, b: {}, equal: true },
    { name: 'order of members', a: { a: 1, b: 2 }, b: { b: 2, a: 1 }, equal: true },
    { name: 'order of a list', a: [1, 2], b: [2, 1], equal: false },
    { name: 'list and object', a: ['a'], b: { 0: 'a' }, equal: false },
    { name: 'deep difference', a: { a: [{ b: map({ c: 'd' }) }] }, b: { a: [{ b: map({ c: 'e' }) }] }, equal: false },
    { name: 'more members on the right', a: { a: 1 }, b: { a: 1, b: 2 }, equal: false },
    { name: 'key that every object inherits', a: map({ constructor: 'x' }), b: {}, equal: false },
    { name: 'integer and the same bigint', a: 5, b: 5n, equal: true },
    { name: 'text and number', a: 5, b: '5', equal: false },
  ])('Semantic equality: $name', ({ a, b, equal }) => {
    expect(isEqual(a, b)).toBe(equal);
    expect(isEqual(b, a)).toBe(equal);
  });
});
