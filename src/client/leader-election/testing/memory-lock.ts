import type { HeldRecord, LeaderRecord, ResourceLock } from '../lock.ts';

/** A lock whose server the test takes away. */
export class MemoryLock implements ResourceLock {
  readonly name = 'ns/lock';
  /** The server does not answer. */
  isAway = false;
  writes = 0;
  held: HeldRecord | undefined;

  get(signal: AbortSignal): Promise<HeldRecord | undefined> {
    return this.#answer(signal, () => this.held);
  }

  create(record: LeaderRecord, signal: AbortSignal): Promise<HeldRecord> {
    return this.#answer(signal, () => {
      if (this.held !== undefined) throw new Error('it exists already');
      return this.#write(record);
    });
  }

  update(record: LeaderRecord, before: HeldRecord, signal: AbortSignal): Promise<HeldRecord> {
    return this.#answer(signal, () => {
      if (this.held?.version !== before.version) throw new Error('conflict');
      return this.#write(record);
    });
  }

  #write(record: LeaderRecord): HeldRecord {
    return (this.held = { record, version: String(++this.writes) });
  }

  #answer<T>(signal: AbortSignal, answer: () => T): Promise<T> {
    if (signal.aborted) return Promise.reject(signal.reason as Error);
    if (!this.isAway) return Promise.resolve().then(answer);
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  }
}
