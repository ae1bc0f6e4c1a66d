import type { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import { RegexCache } from './regex-cache.ts';

/** Of about 100 kB, each another one. */
const large = (i: number): string => `[a-z]{200}${i}`;

describe('compiled patterns', () => {
  test('Compiled patterns are reused for the same pattern, and errors too', () => {
    const cache = new RegexCache(1_000_000);
    expect(cache.get('a+')).toBe(cache.get('a+'));
    expect(cache.get('(')).toBe('error parsing regexp: missing closing ): `(`');
  });

  test('Compiled patterns are as many as fit, those that were used last', () => {
    const cache = new RegexCache(1_000_000);
    const often = cache.get('a+');
    const once = cache.get('b+');
    for (let i = 0; i < 50; i++) {
      cache.get(large(i));
      expect(cache.get('a+')).toBe(often);
      expect(cache.bytes).toBeLessThanOrEqual(1_000_000);
    }
    expect(cache.get('b+')).not.toBe(once);
  });

  test('Compiled patterns are dropped when they have grown by what they were matched with', () => {
    const cache = new RegexCache(1_000_000);
    const pattern = '([ab]{0,900}[^ab]?)*[0-9]';
    const growing = cache.get(pattern) as RE2JS;
    const before = cache.bytes;
    growing.test('ab'.repeat(100_000));
    expect(cache.bytes).toBeGreaterThan(before + 500_000);
    cache.get('a+');
    expect(cache.bytes).toBeLessThan(10_000);
    expect(cache.get(pattern)).not.toBe(growing);
  });

  test('Compiled patterns count with their text, also when it is no pattern', () => {
    const cache = new RegexCache(1_000_000);
    for (let i = 0; i < 20; i++) cache.get('a'.repeat(200_000) + i);
    expect(cache.bytes).toBeLessThanOrEqual(1_000_000);
  });

  test('A text that is larger than all may be is not kept for long', () => {
    const cache = new RegexCache(1_000_000);
    cache.get('a'.repeat(1_000_000));
    cache.get('a');
    expect(cache.bytes).toBeLessThan(10_000);
  });

  test('What is said before compiling ends it, and nothing is kept', () => {
    const cache = new RegexCache(1_000_000);
    const over = new Error('over');
    const refuse = (): void => {
      throw over;
    };
    expect(() => cache.get('a+', refuse)).toThrow(over);
    expect(cache.bytes).toBe(0);
    cache.get('a+');
    expect(() => cache.get('a+', refuse)).not.toThrow();
  });
});
