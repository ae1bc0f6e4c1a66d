import type { JsonObject, JsonValue } from '../../src/machinery/value.ts';

/** Repeatable randomness: the same seed gives the same numbers in [0, 1). */
export type RandomSource = () => number;

/** Mulberry32: small, and good enough to choose test values. */
export function randomSource(seed: number): RandomSource {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const randomInt = (random: RandomSource, below: number): number => Math.floor(random() * below);

export const pick = <T>(random: RandomSource, values: readonly T[]): T => values[randomInt(random, values.length)]!;

const keys = ['a', 'b', 'c', 'd/e', 'f~g', '0', '10', 'toString', 'ü'];

/** A JSON value of at most `depth` levels, small enough that two of them have much in common. */
export function randomJson(random: RandomSource, depth = 4): JsonValue {
  const kind = randomInt(random, depth > 0 ? 8 : 5);
  switch (kind) {
    case 0:
      return pick(random, ['', 'x', 'y', 'long text']);
    case 1:
      return randomInt(random, 3);
    case 2:
      return random() < 0.5;
    case 3:
      return null;
    case 4:
      return random() < 0.5 ? 1.5 : 'z';
    case 5:
      return Array.from({ length: randomInt(random, 4) }, () => randomJson(random, depth - 1));
    default:
      return randomObject(random, depth - 1);
  }
}

export function randomObject(random: RandomSource, depth = 3): JsonObject {
  return Object.fromEntries(keys.filter(() => random() < 0.4).map((key) => [key, randomJson(random, depth)]));
}
