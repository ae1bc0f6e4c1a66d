/** A watch over HTTP: one JSON document for each event, in the order in which they happened. */
import type { Clock, Timer } from '../base/clock.ts';
import type { KubeObject } from '../machinery/object-meta.ts';
import type { JsonValue } from '../machinery/value.ts';
import type { SourceEvent, SourceWatch, WatchEnd } from '../reconcile/source.ts';
import { statusErrorFrom } from './status-answer.ts';

export interface HttpWatchOptions {
  readonly body: AsyncIterable<Uint8Array> | null;
  readonly after: string;
  /** Ends the connection. */
  readonly abort: AbortController;
  readonly onReady: () => void;
  /** The watch is given up when it has not ended by then. */
  readonly lastsMs: number;
  readonly clock: Clock;
}

interface WatchDocument<T> {
  readonly type: SourceEvent<T>['type'] | 'ERROR';
  readonly object: T;
}

const newline = 0x0a;
const none: readonly never[] = [];
/** Beyond all that a server of this API sends: objects are bounded by the store to some megabytes. */
const maxLineBytes = 64 * 1024 * 1024;

export class HttpWatch<T extends KubeObject> implements SourceWatch<T> {
  readonly #options: HttpWatchOptions;
  readonly #timer: Timer;
  #events: SourceEvent<T>[] = [];
  /** Of the last event that came. */
  #reached: string;
  #version: string;
  #ended: WatchEnd | undefined;
  #isClosed = false;
  /** The beginning of a line whose end has not come yet. */
  #rest: Uint8Array[] = [];
  #restBytes = 0;

  constructor(options: HttpWatchOptions) {
    const { after, abort, clock, lastsMs } = options;
    this.#options = options;
    this.#reached = after;
    this.#version = after;
    this.#timer = clock.after(lastsMs, () =>
      abort.abort(new DOMException('the server did not end a watch whose time is over', 'TimeoutError')),
    );
    void this.#read();
  }

  take(): readonly SourceEvent<T>[] {
    this.#version = this.#reached;
    if (this.#events.length === 0) return none;
    const events = this.#events;
    this.#events = [];
    return events;
  }

  get version(): string {
    return this.#version;
  }

  get ended(): WatchEnd | undefined {
    return this.#ended;
  }

  close(): void {
    this.#isClosed = true;
    this.#timer.cancel();
    this.#options.abort.abort();
  }

  async #read(): Promise<void> {
    const { body, abort } = this.#options;
    let end: WatchEnd = {};
    try {
      for await (const chunk of body ?? []) {
        this.#split(chunk);
        if (this.#isClosed) return;
        if (this.#events.length > 0) this.#options.onReady();
      }
    } catch (error) {
      end = { error: abort.signal.aborted ? abort.signal.reason : error };
    }
    if (this.#isClosed) return;
    this.#timer.cancel();
    this.#ended = end;
    this.#options.onReady();
  }

  #split(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      const line = Buffer.concat(this.#rest, this.#restBytes).toString();
      this.#rest = [];
      this.#restBytes = 0;
      if (line !== '') this.#add(JSON.parse(line) as WatchDocument<T>);
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#rest.push(piece);
    this.#restBytes += piece.length;
    if (this.#restBytes > maxLineBytes) throw new Error('the server sent an event that is too long');
  }

  #add({ type, object }: WatchDocument<T>): void {
    if (type === 'ERROR') throw statusErrorFrom(object as unknown as JsonValue, 500);
    const version = object.metadata?.resourceVersion;
    if (version !== undefined) this.#reached = version;
    this.#events.push(type === 'BOOKMARK' ? { type } : { type, object });
  }
}
