/** What generators and properties of several targets are made of. */
import assert from 'node:assert/strict';
import { mutate } from '../support/mutate.ts';
import { pick, randomInt, type RandomSource } from '../support/random.ts';

/** What a reader makes of its input: a value, or one of these errors. Any other goes on. */
export function outcome<T>(run: () => T, ...errors: string[]): { value?: T; refusal?: Error } {
  try {
    return { value: run() };
  } catch (error) {
    if (error instanceof Error && errors.includes(error.name)) return { refusal: error };
    throw error;
  }
}

/** The value; undefined where the reader refuses with one of these errors. */
export const attempt = <T>(run: () => T, ...errors: string[]): T | undefined => outcome(run, ...errors).value;

/** Some output may be longer than its input, but not without bound. */
export function expectWithin(actual: number, limit: number, what: string): void {
  assert.ok(actual <= limit, `${what}: ${actual}, more than ${limit}`);
}

/** A valid input with a few changes: bytes, pieces of another one, a piece many times over, the end cut off. */
export function changed(random: RandomSource, bytes: Buffer, other: Buffer = bytes): Buffer {
  switch (randomInt(random, 9)) {
    case 0:
    case 1:
    case 2:
      return bytes;
    case 3:
      return splice(random, bytes, other);
    case 4:
      return repeatPiece(random, bytes);
    default:
      return mutate(random, bytes);
  }
}

function splice(random: RandomSource, bytes: Buffer, other: Buffer): Buffer {
  const from = randomInt(random, other.length + 1);
  const at = randomInt(random, bytes.length + 1);
  return Buffer.concat([
    bytes.subarray(0, at),
    other.subarray(from, from + randomInt(random, 40)),
    bytes.subarray(at + randomInt(random, 10)),
  ]);
}

function repeatPiece(random: RandomSource, bytes: Buffer): Buffer {
  const from = randomInt(random, bytes.length);
  const piece = bytes.subarray(from, from + 1 + randomInt(random, 12));
  const many = Buffer.alloc(piece.length * pick(random, [2, 10, 300]), piece.length === 0 ? ' ' : piece);
  return Buffer.concat([bytes.subarray(0, from), many, bytes.subarray(from)]);
}

/** Words, with a few changes. */
export const changedWords = (random: RandomSource, vocabulary: readonly string[], most: number): Buffer =>
  changed(random, Buffer.from(words(random, vocabulary, most)), Buffer.from(words(random, vocabulary, 3)));

/** Words one after the other: a language's tokens in an order that its grammar may not have. */
export function words(random: RandomSource, vocabulary: readonly string[], most: number): string {
  return Array.from({ length: 1 + randomInt(random, most) }, () => pick(random, vocabulary)).join('');
}

/** Two parts of one input: a head without NUL, and the rest. */
export function parts(input: Buffer): [head: string, rest: Buffer] {
  const end = input.indexOf(0);
  return end < 0 ? [input.toString(), Buffer.alloc(0)] : [input.toString('utf8', 0, end), input.subarray(end + 1)];
}

export const joined = (head: string, rest: Buffer): Buffer =>
  Buffer.concat([Buffer.from(head), Buffer.from([0]), rest]);
