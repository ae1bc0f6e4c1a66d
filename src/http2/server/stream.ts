import type { Reservation } from '../../base/memory-quota.ts';
import type { Usage } from '../../base/evicting-quota.ts';
import { GatheredBytes } from '../../base/gathered-bytes.ts';
import { ErrorCode } from '../frames.ts';

/** What a stream asks of its connection. */
export interface StreamOwner {
  sendHeaders(
    stream: ServerStream,
    status: number,
    fields: Iterable<readonly [name: string, value: string]>,
    end: boolean,
  ): void;
  /** Sends what the windows allow of what the stream has to send. */
  transmit(stream: ServerStream): void;
  /** Ends the stream from our side. */
  reset(stream: ServerStream, code: number): void;
  /** Of the body, so much was taken: the client may send as much again. */
  took(stream: ServerStream, bytes: number): void;
  /** So much of the body will not be taken: the client may send as much of other bodies. */
  dropped(bytes: number): void;
}

export interface BodyReader {
  /** `piece` is valid during the call only. */
  onData(piece: Buffer): void;
  /** Last, once. Not complete: the client broke off. */
  onEnd(isComplete: boolean): void;
}

export interface StreamStart {
  readonly id: number;
  readonly fields: readonly string[];
  readonly headBytes: number;
  readonly endStream: boolean;
  readonly bodyBytes: number | undefined;
  readonly windows: { readonly send: number; readonly receive: number };
  readonly reservation: Reservation;
}

/** A request and its answer (RFC 9113, section 8.1). Its connection reads and writes the state. */
export class ServerStream {
  readonly id: number;
  /** Names and values alternately, as received: pseudo-header fields first. */
  fields: readonly string[];
  /** About what the fields take. */
  readonly headBytes: number;
  /** There is no body. */
  readonly endsWithHeaders: boolean;
  readonly #owner: StreamOwner;
  #reader: BodyReader | undefined;
  /** The part of the body that was received before the handler read. */
  readonly #early = new GatheredBytes();
  #paused = false;
  #dropsBody = false;
  #onClose: (() => void)[] = [];
  #onDrain: (() => void)[] = [];

  /** Memory of the body. The stream counts what came before it is read, the reader the rest. */
  readonly reservation: Reservation;
  /** There was no memory for the body, which was dropped. */
  isBodyRefused = false;
  /** Memory of what the client has not taken of the answer. */
  usage: Usage | undefined;
  queuedBytes = 0;
  /** Bytes that the client takes. */
  sendWindow: number;
  /** Of the answer's body. */
  sentBytes = 0;
  /** Bytes that the client may still send. */
  receiveWindow: number;
  /** Bytes taken since the client's window was last filled up. */
  unannounced = 0;
  /** Of the body, so much is to come; undefined when the client did not say. */
  bodyLeft: number | undefined;
  readonly queue: Buffer[] = [];
  /** Nothing comes behind what is queued. */
  ending = false;
  localEnded = false;
  remoteEnded: boolean;
  closed = false;

  constructor(owner: StreamOwner, { id, fields, headBytes, endStream, bodyBytes, windows, reservation }: StreamStart) {
    this.#owner = owner;
    this.id = id;
    this.fields = fields;
    this.headBytes = headBytes;
    this.reservation = reservation;
    this.endsWithHeaders = endStream;
    this.remoteEnded = endStream;
    this.bodyLeft = bodyBytes;
    this.sendWindow = windows.send;
    this.receiveWindow = windows.receive;
  }

  // ── the body of the request ──

  /** To be called once. Until then the client may send one window and no more. */
  read(reader: BodyReader): void {
    if (this.closed || this.isBodyRefused) return reader.onEnd(false);
    this.#reader = reader;
    this.#deliver();
  }

  /** No more than a window comes from here on. */
  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#deliver();
  }

  /**
   * The rest of the body is not needed: what was received and what is still received is dropped. The client may send no
   * more than one window of it. A reader is not called again until the stream is over.
   */
  dropBody(): void {
    if (this.#dropsBody) return;
    this.#dropsBody = true;
    const untaken = this.#takeEarly().length;
    if (untaken > 0) this.#owner.dropped(untaken);
  }

  /** The same for a body whose reading has not begun. */
  dropUnreadBody(): void {
    if (this.#reader === undefined) this.dropBody();
  }

  /** For the connection: a piece that is valid during the call only. */
  receive(piece: Buffer): void {
    if (this.#dropsBody) return this.#owner.dropped(piece.length);
    if (this.#reader === undefined || this.#paused) return this.#keep(piece);
    this.#reader.onData(piece);
    this.#owner.took(this, piece.length);
  }

  #keep(piece: Buffer): void {
    if (this.reservation.add(piece.length)) return this.#early.add(piece);
    this.#owner.dropped(piece.length);
    this.isBodyRefused = true;
    this.dropBody();
    this.#endReading(false);
  }

  #takeEarly(): Buffer {
    this.reservation.remove(this.#early.length);
    return this.#early.take();
  }

  /** For the connection: the client has sent all. */
  receivedAll(): void {
    this.remoteEnded = true;
    this.#deliver();
  }

  #deliver(): void {
    if (this.#reader === undefined || this.#dropsBody) return;
    if (this.#early.length > 0 && !this.#paused) {
      const piece = this.#takeEarly();
      this.#reader.onData(piece);
      this.#owner.took(this, piece.length);
    }
    if (this.remoteEnded && this.#early.length === 0) this.#endReading(true);
  }

  #endReading(isComplete: boolean): void {
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.onEnd(isComplete);
  }

  // ── the answer ──

  /** Names in lower case. Throws for a field that HTTP cannot carry. @param end there is no body */
  respond(status: number, fields: Iterable<readonly [name: string, value: string]>, end = false): void {
    if (!this.closed) this.#owner.sendHeaders(this, status, fields, end);
  }

  /**
   * `bytes` belong to the stream from here on. False when they wait: the next should not come before {@link onDrain}
   * calls.
   */
  write(bytes: Buffer): boolean {
    if (this.closed || this.ending) return false;
    if (bytes.length === 0) return this.queue.length === 0;
    this.queue.push(bytes);
    this.queuedBytes += bytes.length;
    this.#owner.transmit(this);
    return this.queue.length === 0;
  }

  end(last?: Buffer): void {
    if (this.closed || this.ending) return;
    if (last !== undefined && last.length > 0) {
      this.queue.push(last);
      this.queuedBytes += last.length;
    }
    this.ending = true;
    this.#owner.transmit(this);
    // The answer may wait for long until the client takes it.
    this.dropBody();
  }

  /** Breaks the answer off. */
  reset(code: number = ErrorCode.cancel): void {
    if (!this.closed) this.#owner.reset(this, code);
  }

  /** Calls back once, when nothing waits any more or the stream is over. */
  onDrain(listener: () => void): void {
    if (this.closed || this.queue.length === 0) queueMicrotask(listener);
    else this.#onDrain.push(listener);
  }

  /** Calls back once, when the stream is over: answered or broken off by either side. */
  onClose(listener: () => void): void {
    if (this.closed) queueMicrotask(listener);
    else this.#onClose.push(listener);
  }

  /** For the connection. */
  drained(): void {
    if (this.#onDrain.length === 0) return;
    const listeners = this.#onDrain;
    this.#onDrain = [];
    for (const listener of listeners) listener();
  }

  /** For the connection: the stream is over. @returns bytes of the body that were not read */
  close(): number {
    this.closed = true;
    this.queue.length = 0;
    this.usage?.set(0);
    const untaken = this.#takeEarly().length;
    this.#endReading(false);
    const listeners = this.#onClose;
    this.#onClose = [];
    for (const listener of listeners) listener();
    this.drained();
    return untaken;
  }
}
