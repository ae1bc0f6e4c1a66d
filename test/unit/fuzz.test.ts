/** Every fuzzer for a moment: what once failed, inputs of a fixed seed, and new ones. For longer: `npm run fuzz`. */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { bytesOf, corpusOf } from '../fuzz/corpus.ts';
import { failureText, fuzz, type Limits } from '../fuzz/engine.ts';
import type { FuzzTarget } from '../fuzz/target.ts';
import { loadTarget, targetNames } from '../fuzz/targets.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const targets = await Promise.all(
  targetNames(root).map(async (name) => ({ name, target: await loadTarget(name), corpus: corpusOf(root, name) })),
);

const fixedSeed = 1;
const freshSeed = Math.floor(Math.random() * 2 ** 31);
const freshMilliseconds = 1000;

async function expectNothing(name: string, target: FuzzTarget, limits: Limits): Promise<void> {
  const { failure, tried } = await fuzz(target, limits);
  if (failure !== undefined) throw new Error(failureText(name, failure), { cause: failure.error });
  expect(tried).toBeGreaterThan(0);
}

describe.each(targets)('$name', ({ name, target, corpus }) => {
  test.each(corpus)('A fuzz case of the corpus: $name', ({ input }) => target.check(bytesOf(input)));

  test('The parser holds for inputs of a fixed seed', () =>
    expectNothing(name, target, { seed: fixedSeed, runs: target.runs }));

  test('The parser holds for inputs of a fresh seed', () =>
    expectNothing(name, target, { seed: freshSeed, milliseconds: freshMilliseconds }));
});
