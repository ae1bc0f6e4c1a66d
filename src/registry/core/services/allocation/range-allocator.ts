/**
 * Gives out the numbers of one range, each once, whichever server is asked.
 *
 * The state at hand is the last one this server saw. What is taken from it counts once it is written, guarded by the
 * revision; when another server was faster, everything is tried again on what that one wrote. What writes nothing (a
 * refusal, or giving back what is not taken) is not proved by a write and is confirmed on a fresh read. Requests that
 * arrive during a write share the next one.
 */
import { AllocationBitmap } from './bitmap.ts';
import { AllocationError } from './errors.ts';
import type { RangeObject, RangeState } from './range-object.ts';
import type { BitmapShape } from './bitmap.ts';

export interface RangeAllocatorOptions {
  readonly object: RangeObject;
  readonly range: BitmapShape & { readonly text: string };
  /**
   * Makes the object from the services that are there. Called when there is none: a new or restored store.
   * @NOTE differs from upstream: there, requests are refused until the first repair.
   */
  readonly rebuild: () => Promise<void>;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
}

interface Operation {
  /** Returns whether it could be done. Runs again after a lost race, on another bitmap. */
  readonly apply: (bitmap: AllocationBitmap) => boolean;
  readonly done: (error: unknown) => void;
}

export class RangeAllocator {
  readonly #options: RangeAllocatorOptions;
  readonly #random: () => number;
  #state: RangeState | undefined;
  #waiting: Operation[] = [];
  #working = false;

  constructor(options: RangeAllocatorOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
  }

  /** How many numbers are taken, as this server last saw it; undefined before it has. */
  get taken(): number | undefined {
    return this.#state === undefined ? undefined : this.#bitmapOf(this.#state).count;
  }

  /** False when somebody has it. */
  async take(number: number): Promise<boolean> {
    let taken = false;
    await this.#run((bitmap) => (taken = bitmap.take(number)));
    return taken;
  }

  /** Undefined when the range is full. */
  async takeNext(): Promise<number | undefined> {
    let number: number | undefined;
    await this.#run((bitmap) => (number = bitmap.takeNext(this.#random)) !== undefined);
    return number;
  }

  /** A number that nobody has is left as it is. */
  giveBack(number: number): Promise<void> {
    return this.#run((bitmap) => {
      // Another server may have taken it since: then there is something to give back.
      const isTaken = bitmap.has(number);
      bitmap.giveBack(number);
      return isTaken;
    });
  }

  async isTaken(number: number): Promise<boolean> {
    let isTaken = false;
    await this.#run((bitmap) => {
      isTaken = bitmap.has(number);
      return !isTaken;
    });
    return isTaken;
  }

  #run(apply: Operation['apply']): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ apply, done: (error) => (error === undefined ? resolve() : reject(error as Error)) });
      if (!this.#working) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#working = true;
    while (this.#waiting.length > 0) {
      const operations = this.#waiting;
      this.#waiting = [];
      const error = await this.#commit(operations).catch((reason: unknown) => reason ?? new Error('allocation failed'));
      for (const { done } of operations) done(error);
    }
    this.#working = false;
  }

  async #commit(operations: readonly Operation[]): Promise<void> {
    const { object, range } = this.#options;
    let fresh = this.#state === undefined;
    let state = this.#state ?? (await this.#load());
    this.#state = undefined;
    for (;;) {
      const bitmap = this.#bitmapOf(state);
      const allDone = operations.map(({ apply }) => apply(bitmap)).every(Boolean);
      if (!allDone && !fresh) {
        state = await this.#load();
        fresh = true;
        continue;
      }
      const outcome = bitmap.changed ? await object.write(state, range.text, bitmap.toBytes()) : { applied: true, state };
      if (outcome.applied) return void (this.#state = outcome.state);
      state = outcome.state.revision === 0 ? await this.#load() : outcome.state;
      fresh = true;
    }
  }

  async #load(): Promise<RangeState> {
    const { object, rebuild } = this.#options;
    const state = await object.read();
    if (state.revision !== 0) return state;
    await rebuild();
    const rebuilt = await object.read();
    if (rebuilt.revision === 0) throw new AllocationError(`${object.key} cannot be allocated from at this time`);
    return rebuilt;
  }

  #bitmapOf({ range, data }: RangeState): AllocationBitmap {
    if (range !== this.#options.range.text) throw new AllocationError('the provided range does not match the current range');
    return new AllocationBitmap(this.#options.range, data);
  }
}
