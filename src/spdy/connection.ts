/**
 * A connection that speaks SPDY/3.1 on a given duplex, for either side. Streams are duplexes of Node.
 *
 * Go's implementation, which kubelets and kubectl use, knows no windows: it neither keeps to them nor opens them. With
 * such a peer (`usesWindows: false`) the connection as a whole is not read while one of its streams takes nothing.
 *
 * @see {@link https://www.chromium.org/spdy/spdy-protocol/spdy-protocol-draft3-1/ | SPDY 3.1}
 */
import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { SpdyError } from './errors.ts';
import { FrameReader } from './frame-reader.ts';
import * as frames from './frames.ts';
import { decodeHeaders, encodeHeaders, type SpdyHeaders } from './header-block.ts';
import { HeaderCompressor, HeaderDecompressor } from './header-compression.ts';
import { type StreamCarrier, SpdyStream } from './stream.ts';

const { frameTypes, flagFin, goAwayStatus, resetStatus } = frames;

export interface SpdyConnectionOptions {
  readonly side: 'client' | 'server';
  /** Whether both sides keep to the windows of streams (section 2.6.8). */
  readonly usesWindows?: boolean;
  /** Streams of the other side that may be open at once; more are refused. */
  readonly maxStreams?: number;
  /** What came behind the agreement on the protocol. */
  readonly head?: Buffer;
}

/** Bytes of a header block. */
const maxHeaderBytes = 64 * 1024;

const defaultMaxStreams = 1000;

/** Bytes of all streams that may wait to be read before the connection waits too. */
const maxBufferedBytes = 1024 * 1024;

/** Bytes of answers that may wait for the other side. */
const maxAnswerBytes = 16 * 1024;

/** How long the other side may take to hear why the connection ends. */
const lastWordsMs = 1000;

interface Events {
  /** The other side has opened a stream: accept it with `reply`, or end it with `reset`. */
  stream: [SpdyStream];
  /** Nothing is open any more. The error is why, where the connection broke. */
  close: [Error | undefined];
  /** The other side takes no more streams. */
  goaway: [];
}

export class SpdyConnection extends EventEmitter<Events> {
  readonly #socket: Duplex;
  readonly #options: Required<Omit<SpdyConnectionOptions, 'head'>>;
  readonly #compressor = new HeaderCompressor();
  readonly #decompressor = new HeaderDecompressor(maxHeaderBytes);
  readonly #streams = new Map<number, SpdyStream>();
  readonly #full = new Set<SpdyStream>();
  readonly #carrier: StreamCarrier;
  /** Bytes of all streams that wait to be read. */
  #buffered = 0;
  #pings = new Map<number, () => void>();
  #nextId: number;
  #nextPing: number;
  #lastTheirs = 0;
  #initialSendWindow = frames.initialWindowBytes;
  #isLeaving = false;
  #isClosed = false;
  /** Bytes of answers that wait until the socket takes more. */
  #answers = 0;
  /** Data that waits for the same. */
  #drained: (() => void)[] = [];

  constructor(
    socket: Duplex,
    { side, usesWindows = false, maxStreams = defaultMaxStreams, head }: SpdyConnectionOptions,
  ) {
    super();
    this.#socket = socket;
    this.#options = { side, usesWindows, maxStreams };
    this.#nextId = this.#nextPing = side === 'client' ? 1 : 2;
    this.#carrier = this.#createCarrier();
    const reader = new FrameReader({
      control: (type, flags, payload) => this.#control(type, flags, payload),
      data: (id, flags, bytes, ends) => this.#data(id, flags, bytes, ends),
    });
    const read = (chunk: Buffer): void => {
      try {
        reader.read(chunk);
      } catch (error) {
        socket.off('data', read).resume();
        this.#fail(error as Error);
      }
    };
    socket.on('data', read);
    socket.on('drain', () => this.#onDrain());
    socket.on('error', (error: Error) => this.destroy(error));
    socket.on('end', () => this.destroy(this.#streams.size > 0 ? new SpdyError('the connection ended') : undefined));
    socket.on('close', () => this.destroy(this.#streams.size > 0 ? new SpdyError('the connection ended') : undefined));
    if (head !== undefined && head.length > 0) read(head);
  }

  get streams(): number {
    return this.#streams.size;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Opens a stream. Data may be written before the other side has accepted it. */
  open(headers: SpdyHeaders, { fin = false } = {}): SpdyStream {
    if (this.#isLeaving || this.#isClosed) throw new SpdyError('the connection takes no more streams');
    const id = this.#nextId;
    this.#nextId += 2;
    const stream = new SpdyStream(this.#carrier, id, headers);
    this.#streams.set(id, stream);
    this.#write(frames.synStream(id, fin, this.#compressor.compress(encodeHeaders(headers))));
    if (fin) stream.endedAtOpening();
    return stream;
  }

  /** Resolves when the other side has answered. */
  ping(): Promise<void> {
    const id = this.#nextPing;
    this.#nextPing += 2;
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new SpdyError('the connection is closed'));
      this.#pings.set(id, resolve);
      this.#write(frames.ping(id));
    });
  }

  /** Tells the other side that there are no more streams, and ends the connection behind what was written. */
  close(): void {
    if (this.#isClosed) return;
    this.#write(frames.goAway(this.#lastTheirs, goAwayStatus.ok));
    this.#isLeaving = true;
    this.#socket.end();
  }

  /** Ends the connection and all its streams at once. */
  destroy(error?: Error): void {
    if (this.#isClosed) return;
    this.#endStreams(error);
    this.#socket.destroy();
    this.emit('close', error);
  }

  #endStreams(error: Error | undefined): void {
    this.#isClosed = this.#isLeaving = true;
    for (const stream of [...this.#streams.values()]) stream.received.cut(error);
    this.#streams.clear();
    this.#onDrain();
  }

  #createCarrier(): StreamCarrier {
    const initialSendWindow = (): number => this.#initialSendWindow;
    return {
      usesWindows: this.#options.usesWindows,
      get initialSendWindow() {
        return initialSendWindow();
      },
      sendData: (id, bytes, fin, done) => {
        this.#write(frames.dataHead(id, fin, bytes.length), bytes);
        if (this.#socket.writableNeedDrain && !this.#isClosed) this.#drained.push(done);
        else done();
      },
      sendReply: (id, headers, fin) =>
        this.#write(frames.synReply(id, fin, this.#compressor.compress(encodeHeaders(headers)))),
      sendReset: (id, status) => this.#write(frames.rstStream(id, status)),
      sendWindowUpdate: (id, delta) => this.#write(frames.windowUpdate(id, delta)),
      hold: (stream, isFull) => {
        if (isFull) this.#full.add(stream);
        else if (!this.#full.delete(stream)) return;
        this.#readOrNot();
      },
      buffered: (bytes) => {
        this.#buffered += bytes;
        this.#readOrNot();
      },
      closed: (stream) => {
        this.#streams.delete(stream.id);
      },
    };
  }

  #write(...pieces: Buffer[]): void {
    if (this.#isClosed || !this.#socket.writable) return;
    this.#socket.cork();
    for (const bytes of pieces) if (bytes.length > 0) this.#socket.write(bytes);
    process.nextTick(() => this.#socket.uncork());
  }

  /** Answers to pings and refusals would gather behind what the other side does not take: it is not read meanwhile. */
  #answer(frame: Buffer): void {
    this.#write(frame);
    if (!this.#socket.writableNeedDrain) return;
    this.#answers += frame.length;
    if (this.#answers > maxAnswerBytes) this.#readOrNot();
  }

  #onDrain(): void {
    const drained = this.#drained;
    this.#drained = [];
    this.#answers = 0;
    for (const done of drained) done();
    this.#readOrNot();
  }

  #readOrNot(): void {
    const isFull = this.#full.size > 0 || this.#buffered > maxBufferedBytes;
    if (isFull || this.#answers > maxAnswerBytes) this.#socket.pause();
    else if (this.#socket.isPaused()) this.#socket.resume();
  }

  #fail(error: Error): void {
    if (this.#isClosed) return;
    this.#write(frames.goAway(this.#lastTheirs, goAwayStatus.protocolError));
    this.#endStreams(error);
    // What was written leaves before, unless the other side does not take it.
    const timer = setTimeout(() => this.#socket.destroy(), lastWordsMs);
    this.#socket.end(() => this.#socket.destroy());
    this.#socket.once('close', () => clearTimeout(timer));
    this.emit('close', error);
  }

  #data(id: number, flags: number, bytes: Buffer, ends: boolean): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) {
      // One that was ended here meanwhile is none that there never was.
      if (!this.#wasOpened(id)) this.#answer(frames.rstStream(id, resetStatus.invalidStream));
      return;
    }
    stream.received.data(bytes);
    if (ends && (flags & flagFin) !== 0) stream.received.end();
  }

  #wasOpened(id: number): boolean {
    return this.#isTheirs(id) ? id <= this.#lastTheirs : id < this.#nextId;
  }

  #isTheirs(id: number): boolean {
    return (id % 2 === 0) === (this.#options.side === 'client');
  }

  #control(type: number, flags: number, payload: Buffer): void {
    const number = (at: number): number => {
      if (payload.length < at + 4) throw new SpdyError('a control frame is too short');
      return payload.readUInt32BE(at) & 0x7fffffff;
    };
    switch (type) {
      case frameTypes.synStream:
        return this.#opened(number(0), flags, payload.subarray(10));
      case frameTypes.synReply:
      case frameTypes.headers:
        return this.#headed(type, number(0), flags, payload.subarray(4));
      case frameTypes.rstStream:
        return this.#streams.get(number(0))?.received.reset(number(4));
      case frameTypes.ping:
        return this.#pinged(number(0));
      case frameTypes.goAway:
        this.#isLeaving = true;
        return void this.emit('goaway');
      case frameTypes.windowUpdate:
        return this.#streams.get(number(0))?.received.window(number(4));
      case frameTypes.settings:
        return this.#settings(payload, number(0));
      // What is not known is ignored (section 2.2.1).
      default:
    }
  }

  /** Every header block must be read, or later ones mean something else. */
  #headersOf(block: Buffer): SpdyHeaders {
    return decodeHeaders(this.#decompressor.decompress(block));
  }

  #opened(id: number, flags: number, block: Buffer): void {
    const headers = this.#headersOf(block);
    if (!this.#isTheirs(id) || id <= this.#lastTheirs) throw new SpdyError('a stream has a number that it cannot have');
    this.#lastTheirs = id;
    if (this.#isLeaving || this.#streams.size >= this.#options.maxStreams || this.listenerCount('stream') === 0)
      return this.#answer(frames.rstStream(id, resetStatus.refusedStream));
    const stream = new SpdyStream(this.#carrier, id, headers);
    this.#streams.set(id, stream);
    this.emit('stream', stream);
    if ((flags & flagFin) !== 0) stream.received.end();
  }

  #headed(type: number, id: number, flags: number, block: Buffer): void {
    const headers = this.#headersOf(block);
    const stream = this.#streams.get(id);
    if (type === frameTypes.synReply) stream?.received.reply(headers);
    if ((flags & flagFin) !== 0) stream?.received.end();
  }

  #pinged(id: number): void {
    if (this.#isTheirs(id)) return this.#answer(frames.ping(id));
    this.#pings.get(id)?.();
    this.#pings.delete(id);
  }

  #settings(payload: Buffer, count: number): void {
    if (payload.length < 4 + 8 * count) throw new SpdyError('a control frame is too short');
    for (let i = 0; i < count; i++) {
      const id = payload.readUIntBE(5 + 8 * i, 3);
      if (id !== frames.settingsInitialWindow) continue;
      const size = payload.readUInt32BE(8 + 8 * i);
      const delta = size - this.#initialSendWindow;
      this.#initialSendWindow = size;
      for (const stream of this.#streams.values()) stream.received.window(delta);
    }
  }
}
