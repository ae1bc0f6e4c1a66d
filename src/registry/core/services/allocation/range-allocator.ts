/**
 * Gives out the numbers of one range, each once, whichever server is asked.
 *
 * The state at hand is the last one this server saw. What is taken from it counts once it is written, guarded by the
 * revision; when another server was faster, everything is tried again on what that one wrote. What writes nothing (a
 * refusal, or giving back what is not taken) is not proved by a write and is confirmed on a fresh read. Requests that
 * arrive during a write share the next one.
 *
 * A repair can release a number of a service that takes long to be written, and then another service can take it. So
 * with each number goes a revision at which its owner had it. It is given back only if no repair has released it since,
 * which is a guard of the write that gives it back; a service is written with it only under the guard of `guardOf`.
 */
import { AllocationBitmap } from './bitmap.ts';
import type { WriteGuard } from '../../../../storage/interface.ts';
import { AllocationError } from './allocation-errors.ts';
import type { RangeObject, RangeState } from './range-object.ts';
import { ReleaseLog } from './release-log.ts';
import type { ReleaseState, StoredReleases } from './stored-releases.ts';
import type { BitmapShape } from './bitmap.ts';

/** A number, and a revision at which it was its owner's. */
export interface OwnedNumber {
  readonly number: number;
  readonly since: number;
}

export interface RangeAllocatorOptions {
  readonly object: RangeObject;
  readonly releases: StoredReleases;
  readonly range: BitmapShape & { readonly text: string };
  /**
   * Makes the object from the services that are there. Called when there is none: a new or restored store.
   * @NOTE differs from upstream: there, requests are refused until the first repair.
   */
  readonly rebuild: () => Promise<void>;
  /** Uniform in [0, 1). */
  readonly random?: () => number;
}

/** Returns whether it could be done. Runs again after a lost race, on another bitmap. */
type Apply = (bitmap: AllocationBitmap, releases: ReleaseLog) => boolean;

interface Operation {
  readonly apply: Apply;
  /** Whether it can free a number. */
  readonly frees: boolean;
  readonly resolve: (revision: number) => void;
  readonly reject: (error: Error) => void;
}

const noReleases: ReleaseState = { revision: 0, log: ReleaseLog.empty };

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

  /** Undefined when it is taken already. */
  async take(number: number): Promise<OwnedNumber | undefined> {
    let taken = false;
    const since = await this.#run((bitmap) => (taken = bitmap.take(number)));
    return taken ? { number, since } : undefined;
  }

  /** Undefined when the range is full. */
  async takeNext(): Promise<OwnedNumber | undefined> {
    let number: number | undefined;
    const since = await this.#run((bitmap) => (number = bitmap.takeNext(this.#random)) !== undefined);
    return number === undefined ? undefined : { number, since };
  }

  /** A number that is not taken is left as it is, and one that a repair has released since. */
  async giveBack({ number, since }: OwnedNumber): Promise<void> {
    const apply: Apply = (bitmap, releases) => {
      if (releases.isReleasedSince(number, since)) return true;
      // Another server may have taken it since: then there is something to give back.
      const isTaken = bitmap.has(number);
      bitmap.giveBack(number);
      return isTaken;
    };
    await this.#run(apply, true);
  }

  /**
   * What must hold when a service is written that is to have these numbers: that no repair has released any of them;
   * undefined when one has, or may have. `again` after a write that was refused for the last answer.
   */
  async guardOf(numbers: readonly OwnedNumber[], again: boolean): Promise<WriteGuard | undefined> {
    const { releases } = this.#options;
    const state = await (again ? releases.read() : releases.atHand());
    const isLost = numbers.some(({ number, since }) => state.log.isReleasedSince(number, since));
    return isLost ? undefined : releases.guardOf(state);
  }

  async isTaken(number: number): Promise<boolean> {
    let isTaken = false;
    await this.#run((bitmap) => {
      isTaken = bitmap.has(number);
      return !isTaken;
    });
    return isTaken;
  }

  /** Resolves with the revision of the range that shows the outcome. */
  #run(apply: Apply, frees = false): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ apply, frees, resolve, reject });
      if (!this.#working) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#working = true;
    while (this.#waiting.length > 0) {
      const operations = this.#waiting;
      this.#waiting = [];
      try {
        const revision = await this.#commit(operations);
        for (const { resolve } of operations) resolve(revision);
      } catch (error) {
        for (const { reject } of operations) reject(error as Error);
      }
    }
    this.#working = false;
  }

  async #commit(operations: readonly Operation[]): Promise<number> {
    const { object, range, releases } = this.#options;
    const frees = operations.some((operation) => operation.frees);
    let released = frees ? await releases.atHand() : noReleases;
    let fresh = this.#state === undefined;
    let state = this.#state ?? (await this.#load());
    this.#state = undefined;
    for (;;) {
      const bitmap = this.#bitmapOf(state);
      const allDone = operations.map(({ apply }) => apply(bitmap, released.log)).every(Boolean);
      if (!allDone && !fresh) {
        state = await this.#load();
        fresh = true;
        continue;
      }
      if (!bitmap.changed) return (this.#state = state).revision;
      const write = frees ? { guards: [releases.guardOf(released)] } : {};
      const outcome = await object.write(state, range.text, bitmap.toBytes(), write);
      if (outcome.applied) return (this.#state = outcome.state).revision;
      if (frees && outcome.state.revision === state.revision) released = await releases.read();
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
    if (range !== this.#options.range.text)
      throw new AllocationError('the provided range does not match the current range');
    return new AllocationBitmap(this.#options.range, data);
  }
}
