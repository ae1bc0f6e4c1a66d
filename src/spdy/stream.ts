/** One stream of a connection, as a duplex of Node. */
import { Duplex } from 'node:stream';
import { StreamReset } from './errors.ts';
import { initialWindowBytes, resetStatus } from './frames.ts';
import type { SpdyHeaders } from './header-block.ts';

/** What a stream needs of its connection. */
export interface StreamCarrier {
  readonly usesWindows: boolean;
  readonly initialSendWindow: number;
  /** Calls back when there is space for more. */
  sendData(id: number, bytes: Buffer, fin: boolean, done: () => void): void;
  sendReply(id: number, headers: SpdyHeaders, fin: boolean): void;
  sendReset(id: number, status: number): void;
  sendWindowUpdate(id: number, delta: number): void;
  /** The stream takes no more for now, or takes again. */
  hold(stream: SpdyStream, isFull: boolean): void;
  /** So many more bytes of the stream wait to be read; fewer, if negative. */
  buffered(bytes: number): void;
  closed(stream: SpdyStream): void;
}

/** Pieces of data in one frame. */
const maxDataBytes = 32 * 1024;

/** A window is opened again when half of it is used. */
const updateBytes = initialWindowBytes / 2;

export class SpdyStream extends Duplex {
  readonly id: number;
  /** Those that it was opened with. */
  readonly headers: SpdyHeaders;
  /** Resolves when the other side has accepted the stream; rejects when it ended it before. */
  readonly replied: Promise<SpdyHeaders>;
  readonly #carrier: StreamCarrier;
  #settleReply: { resolve(headers: SpdyHeaders): void; reject(error: Error): void };
  #sendWindow: number;
  #receiveWindow = initialWindowBytes;
  #consumed = 0;
  /** Bytes that wait to be read, as the connection knows it. */
  #buffered = 0;
  /** What waits for the window of the other side. */
  #waiting: { readonly bytes: Buffer; readonly done: () => void } | undefined;
  #hasEnded = { here: false, there: false };
  #wasReset = false;
  #resetStatus: number | undefined;

  constructor(carrier: StreamCarrier, id: number, headers: SpdyHeaders) {
    super({ allowHalfOpen: true, readableHighWaterMark: initialWindowBytes });
    this.id = id;
    this.headers = headers;
    this.#carrier = carrier;
    this.#sendWindow = carrier.initialSendWindow;
    const { promise, resolve, reject } = withResolvers<SpdyHeaders>();
    this.replied = promise;
    promise.catch(() => undefined);
    // The other side may end a stream that nothing listens to yet.
    this.on('error', () => undefined);
    this.#settleReply = { resolve, reject };
  }

  /** With what the other side has reset the stream (section 2.6.3). */
  get resetStatus(): number | undefined {
    return this.#resetStatus;
  }

  /** Accepts a stream of the other side. */
  reply(headers: SpdyHeaders = new Map(), { fin = false } = {}): void {
    if (fin) this.#hasEnded.here = true;
    this.#carrier.sendReply(this.id, headers, fin);
  }

  /** Ends the stream both ways without what waits. */
  reset(status: number = resetStatus.cancel): void {
    if (!this.#wasReset && !this.destroyed) this.#carrier.sendReset(this.id, status);
    this.#wasReset = true;
    this.destroy();
  }

  /** The stream was opened without data to come from this side. */
  endedAtOpening(): void {
    this.#hasEnded.here = true;
    this.end();
  }

  override _read(): void {
    // What is read leaves the buffer behind this call.
    process.nextTick(() => this.#taken());
    if (!this.#carrier.usesWindows) this.#carrier.hold(this, false);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#wasReset) return done();
    this.#waiting = { bytes: chunk, done };
    this.#send();
  }

  override _final(done: () => void): void {
    if (this.#hasEnded.here || this.destroyed) return done();
    this.#hasEnded.here = true;
    this.#carrier.sendData(this.id, Buffer.alloc(0), true, done);
    this.#finish();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const isWhole = this.#hasEnded.here && this.#hasEnded.there;
    if (!isWhole && !this.#wasReset) this.#carrier.sendReset(this.id, resetStatus.cancel);
    this.#wasReset = true;
    this.#settleReply.reject(error ?? new Error('the stream is closed'));
    this.#carrier.hold(this, false);
    this.#account(0);
    this.#carrier.closed(this);
    this.#waiting?.done();
    this.#waiting = undefined;
    done(error);
  }

  /** For the connection: what the other side says of this stream. */
  readonly received = {
    reply: (headers: SpdyHeaders): void => this.#settleReply.resolve(headers),
    data: (bytes: Buffer): void => this.#receive(bytes),
    end: (): void => {
      if (this.#hasEnded.there) return;
      this.#hasEnded.there = true;
      this.push(null);
      this.#finish();
    },
    reset: (status: number): void => {
      this.#resetStatus = status;
      this.#cut(new StreamReset(status), status === resetStatus.cancel);
    },
    /** The connection is no more. */
    cut: (error: Error | undefined): void => this.#cut(error, false),
    window: (delta: number): void => {
      this.#sendWindow += delta;
      this.#send();
    },
  };

  #receive(bytes: Buffer): void {
    if (bytes.length === 0 || this.destroyed) return;
    if (this.#hasEnded.there) return this.reset(resetStatus.protocolError);
    if (!this.#carrier.usesWindows) {
      if (!this.push(bytes)) this.#carrier.hold(this, true);
      this.#account(this.readableLength);
      return;
    }
    this.#receiveWindow -= bytes.length;
    if (this.#receiveWindow < 0) return this.reset(resetStatus.flowControlError);
    this.#consumed += bytes.length;
    this.push(bytes);
    this.#taken();
  }

  #taken(): void {
    if (this.destroyed) return;
    this.#account(this.readableLength);
    if (this.#carrier.usesWindows) this.#openWindow();
  }

  #account(bytes: number): void {
    const more = bytes - this.#buffered;
    this.#buffered = bytes;
    if (more !== 0) this.#carrier.buffered(more);
  }

  /**
   * Go's implementation cancels all streams before it closes a connection, also behind the last data: that is an end
   * like any other, and what came before is still there to be read. What is written from then on goes nowhere.
   */
  #cut(error: Error | undefined, isEnd: boolean): void {
    this.#wasReset = true;
    if (!isEnd && !this.#hasEnded.there) return void this.destroy(error);
    this.#settleReply.reject(error ?? new Error('the stream is closed'));
    this.#carrier.hold(this, false);
    this.#carrier.closed(this);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.done();
    this.once('end', () => this.destroy());
    if (this.readableEnded) return void this.destroy();
    if (!this.#hasEnded.there) this.push(null);
    this.#hasEnded.here = this.#hasEnded.there = true;
    // Where nothing waits to be read, nothing may ever be read, and the end is told all the same.
    if (this.readableLength === 0) this.read(0);
  }

  #openWindow(): void {
    // What is still buffered here was not taken yet.
    const taken = this.#consumed - this.readableLength;
    if (taken < updateBytes || this.#hasEnded.there || this.destroyed) return;
    this.#consumed -= taken;
    this.#receiveWindow += taken;
    this.#carrier.sendWindowUpdate(this.id, taken);
  }

  #send(): void {
    const waiting = this.#waiting;
    if (waiting === undefined || this.destroyed) return;
    const { bytes, done } = waiting;
    const space = this.#carrier.usesWindows ? Math.max(0, this.#sendWindow) : Infinity;
    const count = Math.min(bytes.length, space, maxDataBytes);
    if (count === 0 && bytes.length > 0) return;
    this.#waiting = undefined;
    this.#sendWindow -= count;
    this.#carrier.sendData(this.id, bytes.subarray(0, count), false, () => {
      if (count === bytes.length) return done();
      this.#waiting = { bytes: bytes.subarray(count), done };
      if (this.destroyed) return done();
      this.#send();
    });
  }

  /** A stream that both sides have ended is no more. What was received can still be read. */
  #finish(): void {
    if (this.#hasEnded.here && this.#hasEnded.there) this.#carrier.closed(this);
  }
}

/** `Promise.withResolvers`, which Node 20 does not have. */
function withResolvers<T>(): {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: Error) => void;
} {
  let [resolve, reject]: [(value: T) => void, (error: Error) => void] = [() => undefined, () => undefined];
  const promise = new Promise<T>((onResolve, onReject) => ([resolve, reject] = [onResolve, onReject]));
  return { promise, resolve, reject };
}
