/**
 * The channels of a WebSocket: the first byte of each message says which one it belongs to.
 * @see KEP-4006, Transition from SPDY to WebSockets
 */
import { Readable, Writable } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { ConnectionError } from '../transport/message.ts';

/** The message of subprotocol v5 that ends a channel: 255, and the channel. */
const endOfChannel = 255;
/** Larger writes are divided: the other side holds one message in memory. */
const maxWriteBytes = 32 * 1024;

export interface ChannelEnd {
  /** Undefined where the connection ended as it should. */
  readonly error: Error | undefined;
}

/**
 * What is read from the channels is bounded: while the reader of one is behind, the connection waits, and with it the
 * other channels.
 */
export class Channels {
  /** Resolves when the connection is gone and all that came is in the channels. */
  readonly ended: Promise<ChannelEnd>;
  readonly #socket: WebSocket;
  readonly #readers = new Map<number, Readable>();
  readonly #behind = new Set<Readable>();

  /** @param socket open and paused; nothing has been read from it */
  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.binaryType = 'nodebuffer';
    socket.on('message', (data) => this.#onMessage(data));
    let failure: Error | undefined;
    socket.on('error', (error) => (failure ??= error));
    this.ended = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        // 1005: no code was given (RFC 6455, section 7.1.5).
        const isClean = failure === undefined && (code === 1000 || code === 1005);
        const what = reason.length > 0 ? reason.toString() : `the connection ended with code ${code}`;
        const error = isClean ? undefined : new ConnectionError(failure?.message ?? what, { cause: failure });
        for (const reader of this.#readers.values())
          if (error === undefined) reader.push(null);
          else reader.destroy(error);
        resolve({ error });
      });
    });
    socket.resume();
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  /** What comes on a channel. Channels without a reader are thrown away. */
  reader(channel: number): Readable {
    const reader: Readable = new Readable({
      read: () => {
        if (this.#behind.delete(reader) && this.#behind.size === 0) this.#socket.resume();
      },
      destroy: (error, done) => {
        if (this.#behind.delete(reader) && this.#behind.size === 0) this.#socket.resume();
        done(error);
      },
    });
    // A channel that is not read may fail, too: `ended` tells why.
    reader.on('error', () => undefined);
    this.#readers.set(channel, reader);
    return reader;
  }

  /** @param hasEnd whether the subprotocol can tell the other side that there is no more */
  writer(channel: number, hasEnd: boolean): Writable {
    return new Writable({
      write: (chunk: Buffer, _, done) => void this.#sendAll(channel, chunk).then(() => done(), done),
      final: (done) => {
        if (hasEnd && this.#socket.readyState === this.#socket.OPEN)
          this.#socket.send(Buffer.of(endOfChannel, channel), () => done());
        else done();
      },
    });
  }

  send(channel: number, chunk: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      const message = Buffer.concat([Buffer.of(channel), chunk]);
      this.#socket.send(message, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Ends the connection; within 5 s also where the other side does not. */
  close(): void {
    // Otherwise the answer to the close frame would not be read.
    this.#behind.clear();
    this.#socket.resume();
    this.#socket.close(1000);
    setTimeout(() => this.#socket.terminate(), 5000).unref();
  }

  async #sendAll(channel: number, chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; at += maxWriteBytes)
      await this.send(channel, chunk.subarray(at, at + maxWriteBytes));
  }

  #onMessage(data: RawData): void {
    const message = data as Buffer;
    const channel = message[0];
    if (channel === undefined) return;
    if (channel === endOfChannel) return void this.#readers.get(message[1] ?? -1)?.push(null);
    const reader = this.#readers.get(channel);
    if (reader === undefined || reader.destroyed || reader.readableEnded || message.length === 1) return;
    if (reader.push(message.subarray(1))) return;
    this.#behind.add(reader);
    this.#socket.pause();
  }
}
