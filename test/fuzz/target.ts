import type { RandomSource } from '../support/random.ts';

/**
 * One reader of foreign input. A file in `targets/` exports one as `target`; its name is the file's.
 *
 * Inputs are bytes, so that each can be kept in a corpus. A target whose input has parts joins them.
 */
export interface FuzzTarget {
  /** What reads the input, in a few words. */
  readonly about: string;
  /** Inputs of the fixed seed that a test run tries: what takes about a second. */
  readonly runs: number;
  /** Something valid, or nearly: what is built from valid parts gets further than noise. */
  generate(random: RandomSource): Buffer;
  /** Throws where the input makes the reader do what it must not. */
  check(input: Buffer): void | Promise<void>;
}
