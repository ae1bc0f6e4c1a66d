import { describe, expect, it, test } from 'vitest';
import { hasMember, jsonEqual, keysOf, memberOf, sortedCopy, sortMembers } from './members.ts';
import { RawJson, type JsonObject, type JsonValue } from './value.ts';

const special = JSON.parse('{"__proto__":1,"b":2}') as JsonObject;

describe('members', () => {
  it("Members of a value are the object's own", () => {
    expect([
      memberOf({}, 'constructor'),
      memberOf({}, '__proto__'),
      memberOf(special, '__proto__'),
      hasMember({ a: undefined }, 'a'),
    ]).toEqual([undefined, undefined, 1, false]);
    expect(keysOf({ a: undefined, b: null })).toEqual(['b']);
  });

  it('Members of a value are in key order in a copy', () => {
    const copy = sortedCopy({ z: 1, a: 2, gone: undefined, ...special });
    expect(Object.keys(copy)).toEqual(['__proto__', 'a', 'b', 'z']);
    copy['A'] = 3;
    sortMembers(copy);
    expect(Object.keys(copy)).toEqual(['A', '__proto__', 'a', 'b', 'z']);
  });
});

describe('equality as JSON', () => {
  test.each<{ a: JsonValue | undefined; b: JsonValue | undefined; equal: boolean }>([
    { a: { x: [1, null, 'y'] }, b: { x: [1, null, 'y'] }, equal: true },
    { a: { x: 1, y: undefined }, b: { x: 1 }, equal: true },
    { a: { x: null }, b: {}, equal: false },
    { a: [1, 2], b: [2, 1], equal: false },
    { a: '1', b: 1, equal: false },
    { a: [], b: {}, equal: false },
    { a: 5n, b: 5, equal: true },
    { a: 2n ** 60n, b: 2n ** 60n, equal: true },
    { a: 5n, b: 5.5, equal: false },
    { a: { constructor: 1 }, b: {}, equal: false },
    { a: new RawJson('{"a": 1}').asValue(), b: { a: 1 }, equal: true },
    { a: [new RawJson('{"a": 1}').asValue()], b: [new RawJson('{"a":2}').asValue()], equal: false },
    { a: undefined, b: null, equal: false },
  ])('Equality as JSON of $a and $b is $equal', ({ a, b, equal }) => {
    expect([jsonEqual(a, b), jsonEqual(b, a)]).toEqual([equal, equal]);
  });
});
