/**
 * `regex-engine.ts` and `regex-cache.ts` use parts of re2js that are not its documented interface, so `package.json`
 * names one exact version of it. To upgrade: change the version there and here, and see that the other tests of this
 * file pass.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import { watchedText } from './regex-engine.ts';

const tested = '2.10.0';

const json = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

describe('the internals of re2js that this server uses', () => {
  test('re2js is pinned to the exact version that was tested, and that version is installed', () => {
    const root = new URL('../../', import.meta.url).pathname;
    const { dependencies } = json(`${root}package.json`) as { dependencies: Record<string, string> };
    const { packages } = json(`${root}package-lock.json`) as { packages: Record<string, { version?: string }> };
    const installed = json(
      `${createRequire(import.meta.url)
        .resolve('re2js')
        .split('/build/')[0]!}/package.json`,
    );
    expect(dependencies['re2js']).toBe(tested);
    expect(packages['node_modules/re2js']?.version).toBe(tested);
    expect(installed).toMatchObject({ version: tested });
  });

  test('The engine reads a text only by length, charCodeAt and indexOf, which watchedText replaces', () => {
    const used = new Set<PropertyKey>();
    const pattern = RE2JS.compile('needle[0-9]+(?i:x)$');
    const recording = new Proxy(watchedText('hay needle12X', pattern, () => undefined) as unknown as object, {
      get: (target, name) => {
        if (name === Symbol.toStringTag) return 'String';
        used.add(name);
        const value = Reflect.get(target, name, target) as unknown;
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    }) as unknown as string;
    expect(pattern.test(recording)).toBe(true);
    expect([...used].filter((name) => typeof name === 'string').sort()).toEqual(['charCodeAt', 'indexOf', 'length']);
  });

  test('Every character that the engine reads counts as a step, so that a long match can be ended', () => {
    const pattern = RE2JS.compile('([ab]{0,900}[^ab]?)*[0-9]');
    let looks = 0;
    pattern.test(watchedText('ab'.repeat(10_000), pattern, () => looks++));
    expect(looks).toBeGreaterThan(100);
  });

  test('The automaton reports the memory that matching has used as maxMem less memBudget', () => {
    const pattern = RE2JS.compile('([ab]{0,900}[^ab]?)*[0-9]');
    pattern.test('ab'.repeat(10_000));
    const { lazyDFA } = pattern.re2Input;
    expect(lazyDFA.maxMem - lazyDFA.memBudget).toBeGreaterThan(100_000);
  });
});
