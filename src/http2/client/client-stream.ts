import { ErrorCode } from '../frames.ts';
import type { Http2Stream, StreamHandler } from './stream.ts';

/** What a stream asks of its connection. */
export interface StreamOwner {
  /** Sends what the windows allow of the stream's queue. */
  transmit(stream: ClientStream): void;
  /** Ends the stream from our side. */
  reset(stream: ClientStream, code: number): void;
  /** Lets the peer send as much again as it has sent. */
  replenish(stream: ClientStream): void;
}

/** The state of one stream; its connection reads and writes it. */
export class ClientStream implements Http2Stream {
  readonly headerBlock: Buffer;
  readonly handler: StreamHandler;
  readonly #owner: StreamOwner;
  /** 0 while it is queued. */
  id = 0;
  sendWindow = 0;
  /** Bytes received since the peer's window was last filled up. */
  received = 0;
  paused = false;
  localEnded = false;
  closed = false;
  /** Some of what was sent has had to wait. */
  #isBehind = false;
  readonly queue: { data: Buffer; end: boolean }[] = [];

  constructor(owner: StreamOwner, headerBlock: Buffer, handler: StreamHandler) {
    this.#owner = owner;
    this.headerBlock = headerBlock;
    this.handler = handler;
  }

  send(data: Buffer, end: boolean): boolean {
    if (this.closed) return true;
    this.queue.push({ data, end });
    this.#owner.transmit(this);
    if (this.queue.length > 0) this.#isBehind = true;
    return !this.#isBehind;
  }

  /** Called when the queue is empty. */
  drained(): void {
    if (!this.#isBehind) return;
    this.#isBehind = false;
    this.handler.onDrain?.();
  }

  cancel(): void {
    if (!this.closed) this.#owner.reset(this, ErrorCode.cancel);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    this.#owner.replenish(this);
  }
}
