/** Divides what comes into frames. Data is handed on as it comes, without waiting for the end of its frame. */
import { SpdyError } from './errors.ts';

export interface FrameListener {
  control(type: number, flags: number, payload: Buffer): void;
  /** @param ends whether it is the last piece of its frame */
  data(id: number, flags: number, bytes: Buffer, ends: boolean): void;
}

const headBytes = 8;

/** Control frames carry header blocks at most. */
export const maxControlBytes = 64 * 1024;

export class FrameReader {
  readonly #listener: FrameListener;
  /** Pieces of a head or of a control frame that is not complete; they are joined once. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** Bytes without which nothing can be done. */
  #needed = headBytes;
  /** The data frame that is being read. */
  #data: { readonly id: number; readonly flags: number; left: number } | undefined;

  constructor(listener: FrameListener) {
    this.#listener = listener;
  }

  /** Throws for what is no SPDY/3.1, and for control frames that are too long. */
  read(chunk: Buffer): void {
    let bytes = chunk;
    if (this.#pendingBytes > 0) {
      this.#keep(chunk);
      if (this.#pendingBytes < this.#needed) return;
      bytes = Buffer.concat(this.#pending);
      this.#pending = [];
      this.#pendingBytes = 0;
    }
    for (;;) {
      const taken = this.#data === undefined ? this.#readFrame(bytes) : this.#readData(bytes);
      if (taken === 0) break;
      bytes = bytes.subarray(taken);
    }
    this.#keep(bytes);
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
  }

  /** @returns bytes that were taken; 0 when more are needed */
  #readFrame(bytes: Buffer): number {
    this.#needed = headBytes;
    if (bytes.length < headBytes) return 0;
    const first = bytes.readUInt32BE(0);
    const flags = bytes[4]!;
    const length = bytes.readUIntBE(5, 3);
    if (first < 0x80000000) {
      if (length === 0) this.#listener.data(first, flags, bytes.subarray(0, 0), true);
      else this.#data = { id: first, flags, left: length };
      return headBytes;
    }
    if (bytes.readUInt16BE(0) !== 0x8003) throw new SpdyError('a frame is not of SPDY/3');
    if (length > maxControlBytes) throw new SpdyError('a control frame is too long');
    this.#needed = headBytes + length;
    if (bytes.length < this.#needed) return 0;
    this.#listener.control(first & 0xffff, flags, bytes.subarray(headBytes, headBytes + length));
    return headBytes + length;
  }

  #readData(bytes: Buffer): number {
    const data = this.#data!;
    const taken = Math.min(data.left, bytes.length);
    if (taken === 0) return 0;
    data.left -= taken;
    if (data.left === 0) this.#data = undefined;
    this.#listener.data(data.id, data.flags, bytes.subarray(0, taken), data.left === 0);
    return taken;
  }
}
