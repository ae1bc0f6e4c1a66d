/** Runs targets: as often or as long as asked, and says how a failure is repeated. */
import { type RandomSource, randomSource } from '../support/random.ts';
import { recipeOf } from './corpus.ts';
import type { FuzzTarget } from './target.ts';

export interface Failure {
  readonly seed: number;
  readonly run: number;
  /** Made smaller where that fails as well. */
  readonly input: Buffer;
  readonly error: Error;
}

export interface Limits {
  readonly seed: number;
  /** The first one. */
  readonly run?: number;
  readonly runs?: number;
  /** Of time; no further input is tried then. */
  readonly milliseconds?: number;
}

/** Each run has numbers of its own, so that one can be repeated without those before it. */
const randomOf = (seed: number, run: number): RandomSource =>
  randomSource(Math.imul(seed, 0x9e3779b1) ^ Math.imul(run + 1, 0x85ebca6b));

export const inputOf = (target: FuzzTarget, seed: number, run: number): Buffer => target.generate(randomOf(seed, run));

/** The first failure, and how many inputs were tried. */
export async function fuzz(
  target: FuzzTarget,
  { seed, run: first = 0, runs = Infinity, milliseconds = Infinity }: Limits,
): Promise<{ tried: number; failure?: Failure }> {
  const end = performance.now() + milliseconds;
  let run = first;
  for (; run < first + runs && performance.now() < end; run++) {
    const input = inputOf(target, seed, run);
    const error = await failureOf(target, input);
    if (error !== undefined)
      return { tried: run - first + 1, failure: { seed, run, input: await shrink(target, input), error } };
  }
  return { tried: run - first };
}

async function failureOf(target: FuzzTarget, input: Buffer): Promise<Error | undefined> {
  try {
    await target.check(input);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

const shrinkingAttempts = 300;

/** Leaves out pieces, large ones first, as long as the rest still fails. */
async function shrink(target: FuzzTarget, input: Buffer): Promise<Buffer> {
  let smallest = input;
  let attempts = 0;
  for (let size = input.length >> 1; size > 0; size >>= 1) {
    for (let at = 0; at < smallest.length && attempts < shrinkingAttempts; ) {
      const rest = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + size)]);
      attempts++;
      if ((await failureOf(target, rest)) === undefined) at += size;
      else smallest = rest;
    }
  }
  return smallest;
}

/** What to do about it. */
export const failureText = (name: string, { seed, run, input, error }: Failure): string =>
  [
    `${error.name}: ${error.message}`,
    `repeat it: npm run fuzz -- ${name} --seed ${seed} --run ${run}`,
    `keep it:   test/corpora/${name}/<what-it-is>.json  {"name": "…", "input": ${JSON.stringify(recipeOf(input))}}`,
  ].join('\n');
