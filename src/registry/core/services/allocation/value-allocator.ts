/** Allocates the values of a range, such as addresses and ports, each of which is a number of the range. */
import type { WriteGuard } from '../../../../storage/interface.ts';
import { AllocationError } from './allocation-errors.ts';
import type { OwnedNumber, RangeAllocator } from './range-allocator.ts';
import type { ValueRange } from './ranges.ts';

interface Wording<V> {
  readonly taken: string;
  notInRange(value: V, range: string): string;
}

/** A value, and a revision at which it was its owner's. */
export interface Owned<V> {
  readonly value: V;
  readonly since: number;
}

/** Told of each request for a value. */
export type Observe = (scope: 'static' | 'dynamic', failed: boolean, milliseconds: number) => void;

export const noObserver: Observe = () => undefined;

/** Throws {@link AllocationError} for what cannot be had, and StorageError. */
export class ValueAllocator<V, R extends ValueRange<V>> {
  readonly range: R;
  readonly #numbers: RangeAllocator;
  readonly #wording: Wording<V>;
  readonly #observe: Observe;

  constructor(range: R, numbers: RangeAllocator, wording: Wording<V>, observe: Observe) {
    this.range = range;
    this.#numbers = numbers;
    this.#wording = wording;
    this.#observe = observe;
  }

  allocate(value: V): Promise<Owned<V>> {
    return this.#observed('static', async () => {
      const taken = await this.#numbers.take(this.numberOf(value));
      if (taken === undefined) throw new AllocationError(this.#wording.taken);
      return { value, since: taken.since };
    });
  }

  allocateNext(): Promise<Owned<V>> {
    return this.#observed('dynamic', async () => {
      const taken = await this.#numbers.takeNext();
      if (taken === undefined) throw new AllocationError('range is full');
      return { value: this.range.valueOf(taken.number), since: taken.since };
    });
  }

  /** See `RangeAllocator.guardOf`. */
  guardOf(values: readonly Owned<V>[], again: boolean): Promise<WriteGuard | undefined> {
    return this.#numbers.guardOf(this.#numbersOf(values), again);
  }

  async #observed<T>(scope: 'static' | 'dynamic', work: () => Promise<T>): Promise<T> {
    const begin = performance.now();
    let failed = true;
    try {
      const result = await work();
      failed = false;
      return result;
    } finally {
      this.#observe(scope, failed, performance.now() - begin);
    }
  }

  /** Throws when it is taken, and takes nothing. What is not of the range is free. */
  async checkFree(value: V): Promise<void> {
    const number = this.range.numberOf(value);
    if (number !== undefined && (await this.#numbers.isTaken(number))) throw new AllocationError(this.#wording.taken);
  }

  /** A value that is not of the range, or that a repair has released since, is left as it is. */
  async release(owned: Owned<V>): Promise<void> {
    for (const number of this.#numbersOf([owned])) await this.#numbers.giveBack(number);
  }

  /** Throws when the range does not have the value. */
  numberOf(value: V): number {
    const number = this.range.numberOf(value);
    if (number === undefined) throw new AllocationError(this.#wording.notInRange(value, this.range.text));
    return number;
  }

  #numbersOf(values: readonly Owned<V>[]): OwnedNumber[] {
    return values.flatMap(({ value, since }) => {
      const number = this.range.numberOf(value);
      return number === undefined ? [] : [{ number, since }];
    });
  }
}
