import { describeWork, type Work } from '../../../base/work-description.ts';
import { isStatusError, StatusError } from '../../../machinery/status.ts';
import { toStatusError } from '../../../registry/generic/store-error-answers.ts';
import { isStorageError } from '../../../storage/storage-error.ts';
import type { ObjectEvent, ObjectWatch } from '../../../storage/objects.ts';
import type { EventEncoder } from '../../representation/watch-events.ts';
import type { Sink } from '../../../server/exchange.ts';

export interface Encoding extends Partial<Work> {
  readonly encoder: EventEncoder;
  /** Told of each event that is written. */
  readonly sent: (bytes: number) => void;
  /** Told when the last of the initial events is written (KEP-3157). */
  readonly initialEventsSent?: (() => void) | undefined;
  /** What has to be done before events can be encoded; undefined where nothing has. */
  readonly ahead: ((events: readonly ObjectEvent[]) => Promise<void>) | undefined;
}

/**
 * Carries events from a watch to its client until either has enough, or the time is up.
 *
 * It works at once when it is told, and takes nothing while the connection is full. A loop that sleeps on promises in
 * between was half of what an event cost here.
 */
export class WatchPump implements Partial<Work> {
  /** Rejects when an event cannot be encoded. */
  readonly over: Promise<void>;
  readonly [describeWork]?: Work[typeof describeWork];
  readonly #watch: ObjectWatch;
  readonly #encoding: Encoding;
  readonly #sink: Sink;
  readonly #timer: NodeJS.Timeout;
  #settle!: { resolve: () => void; reject: (error: unknown) => void };
  #isTimeUp = false;
  #isFull = false;
  /** What was taken is made ready; until then nothing else happens. */
  #isPreparing = false;
  #isOver = false;

  constructor(watch: ObjectWatch, encoding: Encoding, sink: Sink, timeoutMs: number) {
    this.#watch = watch;
    this.#encoding = encoding;
    const describe = encoding[describeWork];
    if (describe !== undefined) this[describeWork] = describe;
    this.#sink = sink;
    this.over = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    this.#timer = setTimeout(
      () => {
        this.#isTimeUp = true;
        this.run();
      },
      Math.min(timeoutMs, 2 ** 31 - 1),
    );
    sink.onClose(() => this.#end());
    if (sink.closed) this.#end();
  }

  /** To be called when the watch has something. */
  readonly run = (): void => {
    if (this.#isOver || this.#isPreparing) return;
    try {
      this.#carry();
    } catch (error) {
      this.#fail(error);
    }
  };

  #carry(): void {
    const { ahead } = this.#encoding;
    while (!this.#isFull) {
      const events = this.#watch.take();
      if (events.length === 0) break;
      if (ahead !== undefined) return this.#prepare(ahead(events), events);
      this.#write(events);
    }
    const { ended } = this.#watch;
    if (this.#isTimeUp) return this.#end();
    if (ended === undefined) return;
    // What was written for a client that takes nothing would wait as long as its connection stands.
    if (this.#isFull) this.#sink.abort();
    else this.#sayWhy(ended);
    this.#end();
  }

  #prepare(ready: Promise<void>, events: readonly ObjectEvent[]): void {
    this.#isPreparing = true;
    const done = (refused?: Error): void => {
      this.#isPreparing = false;
      if (this.#isOver) return;
      try {
        if (refused === undefined) this.#write(events);
        else this.#sayWhy(refused);
      } catch (error) {
        return this.#fail(error);
      }
      if (refused === undefined) this.run();
      else this.#end();
    };
    ready.then(
      () => done(),
      (error: unknown) => done(error as Error),
    );
  }

  #write(events: readonly ObjectEvent[]): void {
    const isTaken = writeAll(events, this.#encoding, this.#sink);
    const { initialEventsSent } = this.#encoding;
    if (initialEventsSent !== undefined && events.some((event) => event.initialEventsEnd)) initialEventsSent();
    if (isTaken) return;
    this.#isFull = true;
    void this.#sink.drained().then(() => {
      this.#isFull = false;
      this.run();
    });
  }

  /** Watches that lost their place say so; a reader that was too slow is just cut off and comes back. */
  #sayWhy(error: Error): void {
    if (this.#sink.closed || isStorageError(error, 'SlowConsumer') || isStorageError(error, 'Aborted')) return;
    const status = toStatusError(error, 'watch', { group: '', resource: '' }, '');
    this.#sink.write(
      this.#encoding.encoder.error(
        isStatusError(status)
          ? status
          : new StatusError(500, 'InternalError', 'Internal error occurred: the watch ended', {}),
      ),
    );
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#settle.resolve();
  }

  #fail(error: unknown): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#settle.reject(error);
  }
}

/** False when the connection takes no more for now. */
function writeAll(events: readonly ObjectEvent[], { encoder, sent }: Encoding, sink: Sink): boolean {
  if (events.length === 1) {
    const bytes = encoder.event(events[0]!);
    sent(bytes.length);
    return sink.write(bytes);
  }
  const all = events.map((event) => encoder.event(event));
  for (const { length } of all) sent(length);
  if (encoder.areMessages) return all.map((event) => sink.write(event)).every(Boolean);
  return sink.write(Buffer.concat(all));
}
