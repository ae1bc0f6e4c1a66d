/**
 * Counts the work of JavaScript code without instrumenting it: how often each of its blocks ran, which V8's precise
 * coverage says, and how many elements the built-in functions went through that code calls in loops.
 *
 * The count is the same at each run, whatever else the machine does. What it does not see is time inside of regular
 * expressions, of object spreads and of native parsers: that is for the measurement of CPU time.
 *
 * @see {@link https://v8.dev/blog/javascript-code-coverage | V8: JavaScript code coverage}
 */
import { Session } from 'node:inspector/promises';

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

/** Elements or characters that one call goes through; `result` is what it gave. */
type Cost = (self: never, args: readonly unknown[], result: unknown) => number;

/** Characters and bytes are moved many at a time: so many count as one element. */
const bytesPerUnit = 32;
const elementsPerMove = 8;

const length = (self: { readonly length: number }): number => self.length;
const bytes = (self: { readonly length: number }): number => self.length / bytesPerUnit;
/** A search goes from its second argument to what it finds. */
const found = (self: { readonly length: number }, [, from = 0]: readonly unknown[], index: unknown): number =>
  1 + Math.max(0, (index === -1 ? self.length : Number(index)) - Number(from));
const foundAt = (self: string, args: readonly unknown[], index: unknown): number =>
  found(self, args, index) / bytesPerUnit;
const resultLength = (_: unknown, __: readonly unknown[], result: unknown): number =>
  (result as { readonly length: number }).length;
const resultBytes = (_: unknown, __: readonly unknown[], result: unknown): number =>
  (result as { readonly length: number }).length / bytesPerUnit;
/** What an array moves in memory when it gets longer or shorter in front or in the middle. */
const moved = (self: { readonly length: number }, [start = 0]: readonly unknown[]): number =>
  1 + Math.max(0, self.length - Math.max(0, Number(start))) / elementsPerMove;
const movedAll = (self: { readonly length: number }): number => 1 + self.length / elementsPerMove;

/** Where the search that repeats ended last: it goes on there, a sticky one at one position. */
const lastEnds = new WeakMap<RegExp, number>();
const searched = (pattern: RegExp, [text]: readonly unknown[]): number => {
  if (pattern.sticky) return 1;
  const from = lastEnds.get(pattern) ?? 0;
  if (!pattern.global) return String(text).length / bytesPerUnit;
  const end = pattern.lastIndex === 0 ? String(text).length : pattern.lastIndex;
  lastEnds.set(pattern, pattern.lastIndex);
  return 1 + Math.max(0, end - from) / bytesPerUnit;
};

const builtIns: readonly (readonly [of: string, owner: object, costs: Readonly<Record<string, Cost>>])[] = [
  [
    'Array',
    Array.prototype,
    {
      includes: ((self: readonly unknown[], args: readonly unknown[]) =>
        found(self, args, Array.prototype.indexOf.call(self, args[0]))) as Cost,
      indexOf: found as Cost,
      lastIndexOf: length as Cost,
      slice: resultLength,
      concat: resultLength,
      splice: moved as Cost,
      shift: movedAll as Cost,
      unshift: movedAll as Cost,
      sort: length as Cost,
      reverse: length as Cost,
      join: length as Cost,
      fill: length as Cost,
      toSorted: length as Cost,
      toReversed: length as Cost,
      flat: resultLength,
      push: (_, args) => args.length,
      with: length as Cost,
      at: () => 1,
    },
  ],
  ['Array', Array, { from: resultLength }],
  [
    'Object',
    Object,
    {
      keys: resultLength,
      entries: resultLength,
      values: resultLength,
      fromEntries: (_, [entries]) => (Array.isArray(entries) ? entries.length : 1),
      assign: (_, [, ...sources]) =>
        sources.reduce(
          (sum: number, source) =>
            sum + (source === null || source === undefined ? 0 : Reflect.ownKeys(Object(source)).length),
          0,
        ),
    },
  ],
  [
    'String',
    String.prototype,
    {
      includes: ((self: string, args: readonly unknown[]) =>
        foundAt(self, args, String.prototype.indexOf.call(self, String(args[0])))) as Cost,
      indexOf: foundAt as Cost,
      lastIndexOf: bytes as Cost,
      split: ((self: string, _: readonly unknown[], parts: readonly unknown[]) => parts.length + bytes(self)) as Cost,
      replace: bytes as Cost,
      replaceAll: bytes as Cost,
      toLowerCase: bytes as Cost,
      toUpperCase: bytes as Cost,
      trim: bytes as Cost,
      match: bytes as Cost,
      repeat: resultBytes,
      padStart: resultBytes,
      padEnd: resultBytes,
      normalize: bytes as Cost,
    },
  ],
  ['RegExp', RegExp.prototype, { exec: searched as Cost, test: searched as Cost }],
  [
    'Buffer',
    Buffer,
    {
      concat: resultBytes,
      from: resultBytes,
      byteLength: (_, [text]) => (text as { readonly length: number }).length / bytesPerUnit,
    },
  ],
  [
    'Buffer',
    Buffer.prototype,
    {
      toString: resultBytes,
      equals: bytes as Cost,
      compare: bytes as Cost,
      indexOf: foundAt as unknown as Cost,
      copy: (_, __, copied) => Number(copied) / bytesPerUnit,
    },
  ],
  [
    'JSON',
    JSON,
    {
      parse: (_, [text]) => String(text).length / bytesPerUnit,
      stringify: (_, __, text) => (text === undefined ? 0 : String(text).length / bytesPerUnit),
    },
  ],
];

/** What was counted, and where: by function, `<built-in>.<name>` for what is not ours. */
export interface Work {
  readonly total: number;
  readonly parts: ReadonlyMap<string, number>;
}

/** One counter per process: it replaces built-in functions while it counts. */
export class WorkCounter implements AsyncDisposable {
  readonly #session: Session;
  #parts = new Map<string, number>();
  #isCounting = false;
  readonly #originals: (() => void)[] = [];

  private constructor(session: Session) {
    this.#session = session;
  }

  static async open(): Promise<WorkCounter> {
    const session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    return new WorkCounter(session);
  }

  /** Runs `work` and counts it. Other work of this process in the meantime is counted with it. */
  async count(work: () => Promise<unknown>): Promise<Work> {
    await this.#session.post('Profiler.takePreciseCoverage');
    const parts = (this.#parts = new Map<string, number>());
    this.#watchBuiltIns();
    try {
      await work();
    } finally {
      this.#isCounting = false;
      for (const restore of this.#originals.splice(0)) restore();
    }
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    for (const { url, functions } of result) {
      if (url.startsWith('node:') || url.endsWith('/work-counter.ts')) continue;
      for (const { functionName, ranges } of functions) {
        let blocks = 0;
        for (const { count } of ranges) blocks += count;
        if (blocks > 0) this.#add(functionName, blocks);
      }
    }
    let total = 0;
    for (const amount of parts.values()) total += amount;
    return { total, parts };
  }

  #add(part: string, amount: number): void {
    this.#parts.set(part, (this.#parts.get(part) ?? 0) + amount);
  }

  #watchBuiltIns(): void {
    for (const [of, owner, costs] of builtIns) {
      for (const [name, cost] of Object.entries(costs)) this.#watch(owner, name, `<${of}>.${name}`, cost);
    }
    this.#watchIteration();
    this.#isCounting = true;
  }

  #watch(owner: object, name: string, part: string, cost: Cost): void {
    const descriptor = Object.getOwnPropertyDescriptor(owner, name);
    if (typeof descriptor?.value !== 'function') return;
    const original = descriptor.value as AnyFunction;
    const count = (self: unknown, args: readonly unknown[], result: unknown): void => {
      if (!this.#isCounting) return;
      // The cost itself calls built-in functions.
      this.#isCounting = false;
      this.#add(part, cost(self as never, args, result));
      this.#isCounting = true;
    };
    const counted = function (this: unknown, ...args: unknown[]): unknown {
      const result = Reflect.apply(original, this, args);
      count(this, args, result);
      return result;
    };
    Object.defineProperty(owner, name, { ...descriptor, value: counted });
    this.#originals.push(() => Object.defineProperty(owner, name, descriptor));
  }

  /** Spreading a list into another one is a loop that no block shows. */
  #watchIteration(): void {
    const descriptor = Object.getOwnPropertyDescriptor(Array.prototype, Symbol.iterator)!;
    const original = descriptor.value as (this: readonly unknown[]) => ArrayIterator<unknown>;
    const step = (): void => this.#add('<Array>.iterator', 1);
    const counted = function (this: readonly unknown[]): IterableIterator<unknown> {
      const iterator = original.call(this);
      return {
        next() {
          step();
          return iterator.next();
        },
        [Symbol.iterator]() {
          return this;
        },
      };
    };
    Object.defineProperty(Array.prototype, Symbol.iterator, { ...descriptor, value: counted });
    this.#originals.push(() => Object.defineProperty(Array.prototype, Symbol.iterator, descriptor));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session.post('Profiler.stopPreciseCoverage');
    this.#session.disconnect();
  }
}

/**
 * The exponent of growth from one size to one that is `factor` times as large, without what a request of any size
 * costs.
 */
export function exponent(base: number, small: number, large: number, factor: number): number {
  return large <= base || small <= base ? 0 : Math.log((large - base) / (small - base)) / Math.log(factor);
}

/** The parts that grew most, for the message of a failure. */
export function grownMost(small: Work, large: Work, most = 3): string {
  const grown = [...large.parts].map(([part, amount]) => ({ part, from: small.parts.get(part) ?? 0, to: amount }));
  return grown
    .sort((a, b) => b.to - b.from - (a.to - a.from))
    .slice(0, most)
    .map(({ part, from, to }) => `${part === '' ? '<anonymous>' : part} ${Math.round(from)} -> ${Math.round(to)}`)
    .join(', ');
}
