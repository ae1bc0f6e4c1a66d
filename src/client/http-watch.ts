/** A watch over HTTP: its events, in the order in which they happened. */
import type { Clock, Timer } from '../base/clock.ts';
import type { KubeObject } from '../machinery/object-meta.ts';
import type { JsonValue } from '../machinery/value.ts';
import type { SourceEvent, SourceWatch, WatchEnd } from '../reconcile/source.ts';
import type { DecodeOptions } from './resources/object-codec.ts';
import { type WatchDocument, watchFrames } from './resources/watch-frames.ts';
import { statusErrorFrom } from './status-answer.ts';

export interface HttpWatchOptions {
  readonly body: AsyncIterable<Uint8Array> | null;
  readonly contentType: string;
  readonly decode: DecodeOptions;
  readonly after: string;
  /** Ends the connection. */
  readonly abort: AbortController;
  readonly onReady: () => void;
  /** The watch is given up when it has not ended by then. */
  readonly lastsMs: number;
  readonly clock: Clock;
}

const none: readonly never[] = [];

export class HttpWatch<T extends KubeObject> implements SourceWatch<T> {
  readonly #options: HttpWatchOptions;
  readonly #timer: Timer;
  #events: SourceEvent<T>[] = [];
  /** Of the last event that came. */
  #reached: string;
  #version: string;
  #ended: WatchEnd | undefined;
  #isClosed = false;

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
    const { body, contentType, decode, abort } = this.#options;
    const frames = watchFrames(contentType, decode);
    let end: WatchEnd = {};
    try {
      for await (const chunk of body ?? []) {
        for (const document of frames.push(chunk)) this.#add(document);
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

  #add({ type, object }: WatchDocument): void {
    if (type === 'ERROR') throw statusErrorFrom(object as JsonValue, 500);
    const version = object.metadata?.resourceVersion;
    if (version !== undefined) this.#reached = version;
    const event = { type: type as SourceEvent<T>['type'] };
    this.#events.push(type === 'BOOKMARK' ? event : { ...event, object: object as T });
  }
}
