import type { WatchBatch } from '../interface.ts';

/** Beyond this the source is asked to pause, and below half of it to go on. */
const highWaterBytes = 1024 * 1024;
const eventOverheadBytes = 200;

/** What was received and not yet taken: one producer that can be paused, one consumer that waits. */
export class BatchQueue {
  readonly #setPaused: (paused: boolean) => void;
  #batches: WatchBatch[] = [];
  #bytes = 0;
  #paused = false;
  #waiting: { resolve(result: IteratorResult<WatchBatch>): void; reject(error: Error): void } | undefined;
  #ended: { readonly error: Error | undefined } | undefined;

  constructor(setPaused: (paused: boolean) => void) {
    this.#setPaused = setPaused;
  }

  get ended(): boolean {
    return this.#ended !== undefined;
  }

  push(batch: WatchBatch): void {
    if (this.#ended !== undefined) return;
    if (this.#waiting !== undefined) {
      const { resolve } = this.#waiting;
      this.#waiting = undefined;
      return resolve({ done: false, value: batch });
    }
    if (batch.events.length === 0 && this.#batches.at(-1)?.events.length === 0) this.#batches.pop();
    this.#batches.push(batch);
    this.#bytes += bytesOf(batch);
    this.#regulate();
  }

  /** What waits can still be taken; then the stream ends, with the error if there is one. */
  end(error?: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = { error };
    this.#settleEnd();
  }

  /** Ends the stream and forgets what waits. */
  discard(error?: Error): void {
    this.#batches = [];
    this.#bytes = 0;
    this.#ended = { error };
    this.#settleEnd();
  }

  take(): Promise<IteratorResult<WatchBatch>> {
    const batch = this.#batches.shift();
    if (batch !== undefined) {
      this.#bytes -= bytesOf(batch);
      this.#regulate();
      return Promise.resolve({ done: false, value: batch });
    }
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#settleEnd();
    });
  }

  #settleEnd(): void {
    const waiting = this.#waiting;
    if (this.#ended === undefined || waiting === undefined) return;
    this.#waiting = undefined;
    const { error } = this.#ended;
    // An error is told once, as by a generator; the stream is at its end after that.
    this.#ended = { error: undefined };
    if (error !== undefined) waiting.reject(error);
    else waiting.resolve({ done: true, value: undefined });
  }

  #regulate(): void {
    const paused = this.#paused ? this.#bytes > highWaterBytes / 2 : this.#bytes > highWaterBytes;
    if (paused === this.#paused) return;
    this.#paused = paused;
    this.#setPaused(paused);
  }
}

function bytesOf(batch: WatchBatch): number {
  let bytes = 0;
  for (const { value, previous } of batch.events)
    bytes += value.length + (previous?.value.length ?? 0) + eventOverheadBytes;
  return bytes;
}
