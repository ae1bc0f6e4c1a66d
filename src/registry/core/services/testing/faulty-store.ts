import { StorageError } from '../../../../storage/storage-error.ts';
import type { Store } from '../../../../storage/interface.ts';

const reads: ReadonlySet<string> = new Set(['get', 'list', 'currentRevision']);
const writes: ReadonlySet<string> = new Set(['create', 'update', 'delete']);
/** A call waits for so many turns of the event loop at most, before it comes to the store and before it is answered. */
const maxTurns = 6;
/** One call in so many waits long. */
const slowRate = 8;
/** One write in so many gets no answer, and comes to the store much later or not at all. */
const lossRate = 25;
const lateTurns = 150;

/** A store that delays and reorders calls and loses answers, at random. */
export class FaultyStore {
  readonly store: Store;
  readonly #random: () => number;
  readonly #late = new Set<Promise<unknown>>();

  constructor(inner: Store, random: () => number) {
    this.#random = random;
    this.store = new Proxy(inner, {
      get: (target, member) => {
        const value: unknown = Reflect.get(target, member);
        if (typeof value !== 'function') return value;
        const call = value.bind(target) as (...parameters: unknown[]) => Promise<unknown>;
        if (reads.has(String(member))) return (...parameters: unknown[]) => this.#delayed(() => call(...parameters));
        return writes.has(String(member)) ? (...parameters: unknown[]) => this.#write(() => call(...parameters)) : call;
      },
    });
  }

  /** Resolves when every write that was given up has come to the store, or never will. */
  async settled(): Promise<void> {
    while (this.#late.size > 0) await Promise.all(this.#late);
  }

  async #delayed<T>(call: () => Promise<T>): Promise<T> {
    await this.#turns(this.#below(slowRate) === 0 ? lateTurns : maxTurns);
    const answer = await call();
    await this.#turns(maxTurns);
    return answer;
  }

  async #write<T>(call: () => Promise<T>): Promise<T> {
    if (this.#below(lossRate) > 0) return this.#delayed(call);
    if (this.#below(2) === 0) {
      const late = this.#turns(lateTurns)
        .then(call)
        .catch(() => undefined)
        .finally(() => this.#late.delete(late));
      this.#late.add(late);
    }
    throw new StorageError('Unavailable', 'the answer was lost');
  }

  async #turns(atMost: number): Promise<void> {
    for (let turns = this.#below(atMost); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
  }

  #below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }
}
