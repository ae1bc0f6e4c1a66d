/** A client for tests of the HTTP/2 server: says what it is told to, frame by frame, and keeps what it hears. */
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';
import { FrameReader } from '../frame-reader.ts';
import { Flag, FrameType, Setting, connectionPreface } from '../frames.ts';
import { decodeHeaders } from '../hpack/stateless.ts';
import type { Headers } from '../hpack/stateless.ts';
import { settings } from './client-frames.ts';

/** A frame of the server. A header block counts as one HEADERS frame, however many it came in. */
export interface Heard {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
  /** Of HEADERS. */
  readonly fields?: Headers;
  /** Of RST_STREAM and GOAWAY. */
  readonly code?: number;
  /** Of GOAWAY. */
  readonly lastStreamId?: number;
}

export class RawClient {
  readonly heard: Heard[] = [];
  /** Settles when the server has ended the connection, by whatever means. */
  readonly ended: Promise<void>;
  readonly #socket: Duplex;
  readonly #waiting = new Set<() => void>();
  #block: { readonly flags: number; readonly streamId: number; readonly parts: Buffer[] } | undefined;
  #data: Buffer[] = [];
  #over = false;

  constructor(socket: Duplex) {
    this.#socket = socket;
    const reader = new FrameReader(
      {
        dataStart: () => (this.#data = []),
        dataPiece: (_, piece) => this.#data.push(Buffer.from(piece)),
        dataEnd: (streamId, end) =>
          this.#hear({
            type: FrameType.data,
            flags: end ? Flag.endStream : 0,
            streamId,
            payload: Buffer.concat(this.#data),
          }),
        frame: (type, flags, streamId, payload) => this.#onFrame(type, flags, streamId, Buffer.from(payload)),
        oversized: () => {
          throw new Error('cannot be larger');
        },
      },
      1 << 24,
    );
    socket.on('data', (chunk: Buffer) => reader.push(chunk));
    socket.on('error', () => {});
    this.ended = new Promise((resolve) => {
      const over = (): void => {
        this.#over = true;
        this.#wake();
        resolve();
      };
      socket.on('end', over).on('close', over);
    });
  }

  /** Bytes as they are. */
  send(...bytes: Buffer[]): void {
    if (this.#socket.writable) this.#socket.write(Buffer.concat(bytes));
  }

  /**
   * The preface and our SETTINGS. The server is to keep no dynamic header table, so that every block is a plain value.
   */
  greet(...more: ReadonlyArray<readonly [id: number, value: number]>): void {
    this.send(connectionPreface, settings([Setting.headerTableSize, 0], ...more));
  }

  /** Reads nothing more: what the server says piles up. */
  stopReading(): void {
    this.#socket.pause();
  }

  /** Goes away without a word. */
  destroy(): void {
    this.#socket.destroy();
  }

  /**
   * The first frame of which `predicate` is true, heard already or to come; fails when the connection ends without one.
   */
  async waitFor(predicate: (heard: Heard) => boolean): Promise<Heard> {
    for (;;) {
      const found = this.heard.find(predicate);
      if (found !== undefined) return found;
      if (this.#over) throw new Error(`the connection ended; heard ${this.summary()}`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** The head of the answer on a stream. */
  answer(streamId: number): Promise<Heard> {
    return this.waitFor((heard) => heard.type === FrameType.headers && heard.streamId === streamId);
  }

  /** The status and the whole body of the answer on a stream. */
  async wholeAnswer(streamId: number): Promise<{ readonly status: string | undefined; readonly body: Buffer }> {
    await this.waitFor(
      (heard) =>
        heard.streamId === streamId &&
        (heard.type === FrameType.data || heard.type === FrameType.headers) &&
        (heard.flags & Flag.endStream) !== 0,
    );
    return { status: (await this.answer(streamId)).fields?.get(':status'), body: this.body(streamId) };
  }

  /** The DATA of a stream so far. */
  body(streamId: number): Buffer {
    return Buffer.concat(
      this.heard
        .filter((heard) => heard.type === FrameType.data && heard.streamId === streamId)
        .map((heard) => heard.payload),
    );
  }

  resetOf(streamId: number): Promise<Heard> {
    return this.waitFor((heard) => heard.type === FrameType.rstStream && heard.streamId === streamId);
  }

  goAway(): Promise<Heard> {
    return this.waitFor((heard) => heard.type === FrameType.goAway);
  }

  /** What was heard, for a person. */
  summary(): string {
    return this.heard
      .map(
        ({ type, flags, streamId, payload, code }) =>
          `${typeNames[type] ?? type}(${streamId}, ` +
          `flags ${flags}, ${code === undefined ? `${payload.length} bytes` : `code ${code}`})`,
      )
      .join(', ');
  }

  #onFrame(type: number, flags: number, streamId: number, payload: Buffer): void {
    if (type === FrameType.headers) this.#block = { flags, streamId, parts: [] };
    if (type === FrameType.headers || type === FrameType.continuation) {
      const block = this.#block!;
      block.parts.push(payload);
      if ((flags & Flag.endHeaders) === 0) return;
      const whole = Buffer.concat(block.parts);
      this.#hear({
        type: FrameType.headers,
        flags: block.flags,
        streamId: block.streamId,
        payload: whole,
        fields: decodeHeaders(whole),
      });
    } else if (type === FrameType.rstStream)
      this.#hear({ type, flags, streamId, payload, code: payload.readUInt32BE(0) });
    else if (type === FrameType.goAway)
      this.#hear({
        type,
        flags,
        streamId,
        payload,
        lastStreamId: payload.readUInt32BE(0),
        code: payload.readUInt32BE(4),
      });
    else this.#hear({ type, flags, streamId, payload });
  }

  #hear(heard: Heard): void {
    this.heard.push(heard);
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}

const typeNames = Object.fromEntries(Object.entries(FrameType).map(([name, type]) => [type, name]));

/** A client on a TCP connection that has said nothing yet. */
export async function connectRaw(port: number): Promise<RawClient> {
  const socket = net.connect(port, '127.0.0.1');
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  onTestFinished(() => void socket.destroy());
  return new RawClient(socket);
}
