import { describe, expect, test } from 'vitest';
import type { StoredObject } from '../objects.ts';
import { ObjectIndex } from './object-index.ts';

const prefix = '/registry/pods/';

function object(key: string, revision = 1): StoredObject {
  return {
    key: prefix + key,
    revision,
    bytes: Buffer.alloc(0),
    attributes: { namespace: '', name: key, labels: new Map(), fields: new Map() },
  };
}

function indexOf(...keys: string[]): ObjectIndex {
  const index = new ObjectIndex();
  for (const key of keys) index.set(object(key));
  return index;
}

function keysOf(index: ObjectIndex, range = { prefix }, after?: string): string[] {
  const keys: string[] = [];
  index.visit(range, after && prefix + after, ({ key }) => {
    keys.push(key.slice(prefix.length));
    return true;
  });
  return keys;
}

describe('object index', () => {
  test('The object index holds what a sorted list would, after any sequence of changes', () => {
    const index = new ObjectIndex();
    const model = new Map<string, number>();
    let seed = 7;
    const random = (bound: number): number => (seed = (seed * 48_271) % 2_147_483_647) % bound;
    for (let round = 0; round < 20_000; round++) {
      const key = `ns-${random(5)}/n${random(900)}`;
      if (random(3) === 0) {
        index.delete(prefix + key);
        model.delete(key);
      } else {
        index.set(object(key, round));
        model.set(key, round);
      }
    }
    expect(keysOf(index)).toEqual([...model.keys()].sort());
    expect(index.size).toBe(model.size);
    for (const [key, revision] of model) expect(index.get(prefix + key)!.revision).toBe(revision);
  });

  test('A snapshot does not change with the index, nor the index with the snapshot', () => {
    const index = indexOf(...Array.from({ length: 500 }, (_, n) => `ns/${n}`));
    const snapshot = index.snapshot();
    for (let n = 0; n < 500; n += 2) index.delete(`${prefix}ns/${n}`);
    index.set(object('ns/new'));
    snapshot.set(object('ns/other'));
    expect([index.size, snapshot.size]).toEqual([251, 501]);
    expect(index.get(`${prefix}ns/other`)).toBeUndefined();
    expect(snapshot.get(`${prefix}ns/new`)).toBeUndefined();
    expect(snapshot.get(`${prefix}ns/0`)).toBeDefined();
  });

  test.each([
    { name: 'everything', range: '', after: undefined, keys: ['a/1', 'a/2', 'aa/1', 'b/1'] },
    { name: 'a namespace, not those that begin like it', range: 'a/', after: undefined, keys: ['a/1', 'a/2'] },
    { name: 'behind a key', range: '', after: 'a/2', keys: ['aa/1', 'b/1'] },
    { name: 'behind a key that is not there', range: '', after: 'a/11', keys: ['a/2', 'aa/1', 'b/1'] },
    { name: 'behind a key before the range', range: 'aa/', after: 'a/1', keys: ['aa/1'] },
    { name: 'behind a key after the range', range: 'a/', after: 'b/1', keys: [] },
    { name: 'nothing', range: 'c/', after: undefined, keys: [] },
  ])('Object index visits and counts $name', ({ range, after, keys }) => {
    const index = indexOf('b/1', 'a/2', 'a/1', 'aa/1');
    expect(keysOf(index, { prefix: prefix + range }, after)).toEqual(keys);
    if (after !== undefined) expect(index.countAfter({ prefix: prefix + range }, prefix + after)).toBe(keys.length);
  });

  test('The object index stops where the visitor has enough', () => {
    const seen: string[] = [];
    indexOf('a/1', 'a/2', 'a/3').visit({ prefix }, undefined, ({ key }) => seen.push(key) < 2);
    expect(seen).toHaveLength(2);
  });

  test('The object index orders keys as their UTF-8 bytes are', () => {
    const keys = ['\ud83d\ude00', '\uffee', '\ue000', '\ud7ff', '~', 'é', 'a\uffff', 'a\u{10ffff}', 'a'];
    const byBytes = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(keysOf(indexOf(...keys))).toEqual(byBytes);
  });
});
