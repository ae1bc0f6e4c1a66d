import { describe, expect, test } from 'vitest';
import { BoundedCache, remembered } from './bounded-cache.ts';
import { heapGrowth } from './testing/heap.ts';

const options = { maxBytes: 10_000, maxKeyLength: 100 };
const keys = (count: number): string[] => Array.from({ length: count }, (_, i) => `key-${i}`);

describe('a bounded cache', () => {
  test('A bounded cache gives what was set, until it is deleted or replaced', () => {
    const cache = new BoundedCache<number>(options);
    cache.set('a', 1);
    cache.set('b', 2);
    cache.set('a', 3);
    expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.size]).toEqual([3, 2, undefined, 2]);
    cache.delete('a');
    cache.delete('b');
    expect([cache.get('a'), cache.size, cache.bytes]).toEqual([undefined, 0, 0]);
  });

  test('A bounded cache keeps no more bytes than it may, however many entries come', () => {
    const cache = new BoundedCache<number>(options);
    for (const key of keys(10_000)) {
      cache.set(key, 1);
      expect(cache.bytes).toBeLessThanOrEqual(options.maxBytes);
    }
    expect(cache.size).toBeGreaterThan(10);
    expect(cache.get('key-9999')).toBe(1);
    expect(cache.get('key-0')).toBeUndefined();
  });

  test('A bounded cache counts keys and values', () => {
    const cache = new BoundedCache<string>({ ...options, bytesOf: (value) => value.length });
    cache.set('a', 'x'.repeat(6_000));
    cache.set('b', 'x'.repeat(6_000));
    expect([cache.get('a'), cache.size]).toEqual([undefined, 1]);
    cache.set('b', '');
    expect(cache.bytes).toBeLessThan(200);
  });

  test('A bounded cache does not keep what is longer than a key may be, or larger than all of it', () => {
    const cache = new BoundedCache<string>({ ...options, bytesOf: (value) => value.length });
    cache.set('kept', '');
    cache.set('k'.repeat(101), '');
    cache.set('large', 'x'.repeat(10_001));
    expect([cache.size, cache.get('kept')]).toEqual([1, '']);
    cache.set('kept', 'x'.repeat(10_001));
    expect([cache.size, cache.bytes]).toEqual([0, 0]);
  });

  test('An entry that is used outlives those that are not', () => {
    const cache = new BoundedCache<number>(options);
    cache.set('used', 1);
    for (const key of keys(10_000)) {
      cache.set(key, 1);
      expect(cache.get('used')).toBe(1);
    }
  });

  test('A bounded cache where all entries are used drops the oldest', () => {
    const cache = new BoundedCache<number>(options);
    for (let i = 0; cache.size === i; i++) {
      for (const key of keys(i)) cache.get(key);
      cache.set(`key-${i}`, 1);
    }
    expect(cache.get('key-0')).toBeUndefined();
    expect(cache.get('key-1')).toBe(1);
  });

  test('What is cut from a long text does not keep that text', () => {
    const cache = new BoundedCache<string>(options);
    const quoted = remembered((text) => `"${text}"`, options);
    const grown = heapGrowth(() => {
      for (let i = 0; i < 20; i++) {
        const body = Buffer.alloc(2_000_000, 'x').toString('latin1') + String(i).padStart(30, '0');
        cache.set(body.slice(-30), '');
        quoted(body.slice(-30));
      }
    });
    expect(cache.size).toBe(20);
    expect(grown).toBeLessThan(10_000_000);
  });
});

describe('a remembered function', () => {
  test('A remembered function is called once for a text', () => {
    let calls = 0;
    const length = remembered((text) => {
      calls++;
      return text.length;
    }, options);
    expect([length('abc'), length('abc'), length('abcd'), calls]).toEqual([3, 3, 4, 2]);
  });

  test('A remembered function is called each time for a text that is too long to be kept', () => {
    let calls = 0;
    const length = remembered((text) => {
      calls++;
      return text.length;
    }, options);
    expect([length('x'.repeat(101)), length('x'.repeat(101)), calls]).toEqual([101, 101, 2]);
  });

  test('A remembered function throws what the function throws, and keeps nothing of it', () => {
    const failing = remembered(() => {
      throw new Error('no');
    }, options);
    expect(() => failing('a')).toThrow('no');
    expect(() => failing('a')).toThrow('no');
  });
});
