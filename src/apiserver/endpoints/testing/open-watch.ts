/** A client of a watch without a connection: it takes what is written, or nothing for a while, and leaves. */
import { memoryExchange } from '../../../../test/support/memory-exchange.ts';
import type { ApiResponse, Sink } from '../../../server/exchange.ts';
import type { EndpointsServer, Json } from './endpoints-server.ts';

export interface WatchEvent {
  readonly type: string;
  readonly object: Json;
}

type Headers = readonly (readonly [name: string, value: string])[];

export class OpenWatch implements Sink {
  readonly answer: ApiResponse;
  /** Resolves when the server ends the stream. */
  readonly ended: Promise<void>;
  /** What was written, in pieces. */
  readonly written: Buffer[] = [];
  /** Whether the client takes what is written from here on. */
  takes = true;
  closed = false;
  #seen = 0;
  #wake: () => void = () => undefined;
  #drained: () => void = () => undefined;
  readonly #listeners: (() => void)[] = [];

  constructor(answer: ApiResponse) {
    if (!('stream' in answer)) throw new Error(`the watch was answered ${answer.status} without a stream`);
    this.answer = answer;
    this.ended = answer.stream(this);
  }

  write(bytes: Buffer): boolean {
    this.written.push(bytes);
    this.#wake();
    return this.takes;
  }

  drained(): Promise<void> {
    return new Promise((resolve) => (this.#drained = resolve));
  }

  onClose(listener: () => void): void {
    this.#listeners.push(listener);
  }

  abort(): void {
    this.leave();
  }

  /** The client takes everything again. */
  takeAll(): void {
    this.takes = true;
    this.#drained();
  }

  leave(): void {
    this.closed = true;
    for (const listener of this.#listeners) listener();
  }

  /** All events that came. */
  get events(): WatchEvent[] {
    return Buffer.concat(this.written)
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as WatchEvent);
  }

  /** The next events that were not returned before, when there are so many. */
  async next(count = 1): Promise<WatchEvent[]> {
    while (this.events.length < this.#seen + count) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.events.slice(this.#seen, (this.#seen += count));
  }
}

/** @param upgrade the protocol that the client asks for */
export async function openWatch(
  server: EndpointsServer,
  target: string,
  headers: Headers = [],
  upgrade?: 'websocket',
): Promise<OpenWatch> {
  const more = upgrade === undefined ? {} : { upgrade, canBecomeWebSocket: true };
  return new OpenWatch(await server.handle(memoryExchange({ method: 'GET', target, headers }, more)));
}
