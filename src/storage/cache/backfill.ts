/**
 * Extends the window back into the store's history, once for all watches that resume from before it: after a restart of
 * the server every client does, and a watch on the store for each of them would send each the changes of all.
 *
 * 1. Gather what is wanted until the backfill that runs has ended; the oldest revision decides.
 * 2. Watch the store from there, until it has reached what the window has. Progress is asked for: nothing may have
 *    happened in between.
 * 3. Put the changes before the window.
 *
 * It is given up when it is more than the window may hold or takes too long; the watches then replay history
 * themselves.
 */
import type { Clock } from '../../base/clock.ts';
import { Ticker } from '../../base/ticker.ts';
import type { KeyEvent, Store } from '../interface.ts';
import type { ObjectCodec, StoredObject } from '../objects.ts';
import { openPrevious } from '../store-watch.ts';
import { Change } from './change.ts';
import type { CacheState } from './state.ts';
import type { WindowLimits } from './window.ts';

export interface BackfillOptions {
  readonly store: Store;
  readonly prefix: string;
  readonly codec: ObjectCodec;
  readonly clock: Clock;
  readonly state: CacheState;
  readonly limits: WindowLimits;
  readonly requestProgress: () => Promise<void>;
}

const giveUpMs = 1_000;
const progressMs = 50;

export class Backfill {
  readonly #options: BackfillOptions;
  #round = new AbortController();
  #closed = false;
  #wanted = Infinity;
  #next: Promise<void> | undefined;
  #running: Promise<void> = Promise.resolve();
  /** From here on it was too much, and can only have become more. */
  #refused = 0;

  constructor(options: BackfillOptions) {
    this.#options = options;
  }

  /** Tries to have the window cover everything after `revision`; whether it does is to be seen there. */
  async cover(revision: number): Promise<void> {
    if (revision >= this.#options.state.window.floor || revision <= this.#refused) return;
    this.#wanted = Math.min(this.#wanted, revision);
    await (this.#next ??= this.#runNext());
  }

  close(): void {
    this.#closed = true;
    this.#round.abort();
  }

  async #runNext(): Promise<void> {
    await this.#running;
    await new Promise((resolve) => setImmediate(resolve));
    this.#next = undefined;
    const after = this.#wanted;
    this.#wanted = Infinity;
    // What goes wrong here is told by the watch that then replays history for itself.
    this.#running = this.#run(after).catch(() => undefined);
    await this.#running;
  }

  async #run(after: number): Promise<void> {
    const { store, prefix, clock, state, limits, requestProgress } = this.#options;
    const window = state.window;
    if (after >= window.floor || this.#closed) return;
    const round = new AbortController();
    this.#round = round;
    const ask = (): void => void requestProgress().catch(() => undefined);
    const progress = new Ticker(clock, progressMs, ask);
    const timeout = clock.after(giveUpMs, () => round.abort());
    const history = new History(this.#options);
    progress.start();
    setImmediate(ask);
    try {
      for await (const batch of store.watch(prefix, { after, previous: true, signal: round.signal })) {
        history.add(batch.events);
        if (history.isMoreThan(limits)) return void (this.#refused = after);
        if (batch.revision >= window.floor) return window.prepend(history.upTo(window.floor), after);
      }
    } finally {
      progress.stop();
      timeout.cancel();
    }
  }
}

/** Changes as the cache would have seen them. */
class History {
  readonly #codec: ObjectCodec;
  readonly #state: CacheState;
  readonly #clock: Clock;
  readonly #changes: Change[] = [];
  readonly #latest = new Map<string, StoredObject>();
  #bytes = 0;

  constructor({ codec, state, clock }: Pick<BackfillOptions, 'codec' | 'state' | 'clock'>) {
    this.#codec = codec;
    this.#state = state;
    this.#clock = clock;
  }

  add(events: readonly KeyEvent[]): void {
    for (const event of events) this.#add(event);
  }

  isMoreThan({ maxEvents, maxBytes }: WindowLimits): boolean {
    return this.#changes.length > maxEvents / 2 || this.#bytes > maxBytes / 2;
  }

  upTo(revision: number): Change[] {
    return this.#changes.filter((change) => change.revision <= revision);
  }

  #add(event: KeyEvent): void {
    const { key, modRevision: revision } = event;
    const isCreated = event.type === 'put' && event.createRevision === revision;
    const previous = isCreated ? undefined : (this.#latest.get(key) ?? openPrevious(event, this.#codec));
    const object = event.type === 'delete' ? undefined : this.#state.share(event);
    if (object !== undefined) this.#latest.set(key, object);
    this.#bytes += previous?.bytes.length ?? 0;
    this.#changes.push(new Change({ key, revision, object, previous, at: this.#clock.now() }));
  }
}
