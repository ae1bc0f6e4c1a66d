/** Cluster IPs of one family and node ports, by value. */
import { formatIp, parseIp } from '../../../../machinery/formats/addresses.ts';
import { AllocationError } from './errors.ts';
import type { RangeAllocator } from './range-allocator.ts';
import type { IpRange, PortRange, ValueRange } from './ranges.ts';

interface Wording<V> {
  readonly taken: string;
  notInRange(value: V, range: string): string;
}

/** Told of each request for a value. */
export type Observe = (scope: 'static' | 'dynamic', failed: boolean, milliseconds: number) => void;

const nobody: Observe = () => undefined;

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

  allocate(value: V): Promise<void> {
    return this.#observed('static', async () => {
      if (!(await this.#numbers.take(this.numberOf(value)))) throw new AllocationError(this.#wording.taken);
    });
  }

  allocateNext(): Promise<V> {
    return this.#observed('dynamic', async () => {
      const number = await this.#numbers.takeNext();
      if (number === undefined) throw new AllocationError('range is full');
      return this.range.valueOf(number);
    });
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

  /** A value that is not of the range was not taken from it. */
  async release(value: V): Promise<void> {
    const number = this.range.numberOf(value);
    if (number !== undefined) await this.#numbers.giveBack(number);
  }

  /** Throws when the range does not have the value. */
  numberOf(value: V): number {
    const number = this.range.numberOf(value);
    if (number === undefined) throw new AllocationError(this.#wording.notInRange(value, this.range.text));
    return number;
  }
}

export type IpAllocator = ValueAllocator<string, IpRange>;
export type PortAllocator = ValueAllocator<number, PortRange>;

const canonical = (text: string): string => {
  const ip = parseIp(text);
  return ip === undefined ? text : formatIp(ip);
};

export const createIpAllocator = (range: IpRange, numbers: RangeAllocator, observe = nobody): IpAllocator =>
  new ValueAllocator(range, numbers, {
    taken: 'provided IP is already allocated',
    notInRange: (ip, text) => `the provided IP (${canonical(ip)}) is not in the valid range. The range of valid IPs is ${text}`,
  }, observe);

export const createPortAllocator = (range: PortRange, numbers: RangeAllocator, observe = nobody): PortAllocator =>
  new ValueAllocator(range, numbers, {
    taken: 'provided port is already allocated',
    notInRange: (_port, text) => `provided port is not in the valid range. The range of valid ports is ${text}`,
  }, observe);
