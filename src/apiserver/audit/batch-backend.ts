/**
 * Mode `batch`: requests leave their events in a buffer and go on; batches are sent from it when they are full or have
 * waited long enough. What does not fit into the buffer is counted and gone. A clean stop sends all that is in it.
 */
import type { Clock, Timer } from '../../base/clock.ts';
import type { AuditBackend, AuditSink, ReportLoss } from './backend.ts';
import type { AuditEvent } from './event.ts';
import { TokenBucket } from '../../base/token-bucket.ts';

export interface BatchOptions {
  /** How many events wait at most, besides those of the batch that is being gathered. */
  readonly bufferSize: number;
  /** How many events make a batch at most. */
  readonly maxBatchSize: number;
  /** How long a batch waits until it is full. */
  readonly maxWaitMs: number;
  /** Undefined: no limit. */
  readonly throttle: { readonly perSecond: number; readonly burst: number } | undefined;
}

export interface SinkTraits {
  /** How many batches are on their way at a time. */
  readonly parallel: number;
  /** Whether batches may be joined: a file does not show where a batch ended. */
  readonly merges: boolean;
}

/**
 * A batch of one is due at once; gathering what comes in this time saves most writes to a file, and no request waits
 * for it.
 */
const mergeMs = 100;
/** A batch is made text in one go, and requests wait for that. */
const maxMerged = 1000;

export class BatchBackend implements AuditBackend {
  readonly #sink: AuditSink;
  readonly #parallel: number;
  readonly #report: ReportLoss;
  readonly #clock: Clock;
  readonly #bucket: TokenBucket | undefined;
  readonly #capacity: number;
  /** A batch of this size is sent at once. */
  readonly #fullSize: number;
  readonly #maxSize: number;
  readonly #waitMs: number;
  #waiting: string[] = [];
  #sending = 0;
  /** Runs while the batch is gathered. */
  #gathering: Timer | undefined;
  #isDue = false;
  /** Runs while the rate allows no further batch. */
  #throttling: Timer | undefined;
  #mayPass = false;
  #closed = false;
  #onDrained: () => void = () => undefined;

  constructor(
    sink: AuditSink,
    options: BatchOptions & SinkTraits,
    { report, clock }: { readonly report: ReportLoss; readonly clock: Clock },
  ) {
    const { bufferSize, maxBatchSize, maxWaitMs, throttle } = options;
    const merges = options.merges && throttle === undefined;
    this.#sink = sink;
    this.#parallel = options.parallel;
    this.#report = report;
    this.#clock = clock;
    this.#bucket = throttle === undefined ? undefined : new TokenBucket(throttle, clock);
    this.#capacity = bufferSize + maxBatchSize;
    this.#maxSize = merges ? Math.max(maxBatchSize, maxMerged) : maxBatchSize;
    this.#fullSize = merges ? Math.min(this.#maxSize, Math.ceil(this.#capacity / 2)) : maxBatchSize;
    this.#waitMs = Math.max(maxBatchSize > 1 ? maxWaitMs : 0, merges ? mergeMs : 0);
  }

  add(event: AuditEvent): boolean {
    if (this.#closed) this.#report('buffered', new Error('audit backend shut down'), 1);
    else if (this.#waiting.length >= this.#capacity)
      this.#report('buffered', new Error('audit buffer queue blocked'), 1);
    else {
      const text = this.#sink.textOf(event);
      if (text === undefined) return true;
      this.#waiting.push(text);
      if (this.#gathering === undefined || this.#waiting.length >= this.#fullSize) this.#advance();
    }
    return true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#sink.hurry?.();
    const drained = new Promise<void>((resolve) => (this.#onDrained = resolve));
    this.#advance();
    await drained;
    await this.#sink.close();
  }

  #advance(): void {
    while (this.#waiting.length > 0 && this.#sending < this.#parallel && this.#isReady() && this.#isAllowed())
      this.#send();
    if (this.#closed && this.#waiting.length === 0 && this.#sending === 0) this.#onDrained();
  }

  #isReady(): boolean {
    if (this.#closed || this.#isDue || this.#waiting.length >= this.#fullSize) return true;
    this.#gathering ??= this.#clock.after(this.#waitMs, () => {
      this.#gathering = undefined;
      this.#isDue = true;
      this.#advance();
    });
    return false;
  }

  #isAllowed(): boolean {
    if (this.#closed || this.#bucket === undefined || this.#mayPass) return true;
    if (this.#throttling !== undefined) return false;
    const delayMs = this.#bucket.reserve();
    if (delayMs === 0) return true;
    this.#throttling = this.#clock.after(delayMs, () => {
      this.#throttling = undefined;
      this.#mayPass = true;
      this.#advance();
    });
    return false;
  }

  #send(): void {
    const batch = this.#waiting.length <= this.#maxSize ? this.#waiting : this.#waiting.slice(0, this.#maxSize);
    this.#waiting = batch === this.#waiting ? [] : this.#waiting.slice(this.#maxSize);
    this.#gathering?.cancel();
    this.#gathering = undefined;
    this.#isDue = false;
    this.#mayPass = false;
    this.#sending++;
    void this.#sink.write(batch).then(() => {
      this.#sending--;
      this.#advance();
    });
  }
}
