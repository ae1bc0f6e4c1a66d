import { describe, expect, test } from 'vitest';
import { mapOfPairs, PairMap, RecordKeys, RecordMap } from './small-map.ts';

const entries: [string, string][] = [
  ['a', '1'],
  ['b', ''],
  ['__proto__', '3'],
];
const keys = new RecordKeys(entries.map(([key]) => key));

describe.each([
  { name: 'pairs', map: mapOfPairs(entries.flat()) },
  {
    name: 'records',
    map: new RecordMap(
      keys,
      entries.map(([, value]) => value),
    ),
  },
])('a map over $name behaves as a Map', ({ map }) => {
  const expected = new Map(entries);

  test('A small map finds the value of every key', () => {
    for (const key of ['a', 'b', '__proto__', 'c', 'constructor']) {
      expect(map.get(key)).toBe(expected.get(key));
      expect(map.has(key)).toBe(expected.has(key));
    }
    expect(map.size).toBe(3);
  });

  test('A small map iterates in insertion order', () => {
    expect([...map]).toEqual(entries);
    expect([...map.entries()]).toEqual(entries);
    expect([...map.keys()]).toEqual([...expected.keys()]);
    expect([...map.values()]).toEqual([...expected.values()]);
    const seen: string[] = [];
    map.forEach((value, key) => seen.push(`${key}=${value}`));
    expect(seen).toEqual(['a=1', 'b=', '__proto__=3']);
  });
});

test('Many pairs are a real map', () => {
  const many = Array.from({ length: 100 }, (_, i) => [`k${i}`, String(i)]).flat();
  expect(mapOfPairs(many)).not.toBeInstanceOf(PairMap);
  expect(mapOfPairs(many).get('k99')).toBe('99');
  expect(mapOfPairs([]).size).toBe(0);
});
