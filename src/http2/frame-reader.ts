import { Flag, FrameType, frameHeaderBytes } from './frames.ts';

/** Where frames go. Payloads are views into the socket's buffer: valid during the call only. */
export interface FrameSink {
  /**
   * DATA comes in pieces, as it arrives, so that no large answer is put together twice. `length` is the whole frame's.
   */
  dataStart(streamId: number, length: number): void;
  dataPiece(streamId: number, piece: Buffer): void;
  dataEnd(streamId: number, endStream: boolean): void;
  /** Any other frame, and DATA with padding, as a whole. */
  frame(type: number, flags: number, streamId: number, payload: Buffer): void;
  /** The peer announced a frame larger than we allow. */
  oversized(type: number, length: number): void;
}

/** Cuts the bytes of a connection into frames (RFC 9113, section 4.1). */
export class FrameReader {
  readonly #sink: FrameSink;
  readonly #maxFrameBytes: number;
  #rest: Buffer | undefined;
  #dataLeft = 0;
  #dataStream = 0;
  #dataEndsStream = false;
  #stopped = false;

  constructor(sink: FrameSink, maxFrameBytes: number) {
    this.#sink = sink;
    this.#maxFrameBytes = maxFrameBytes;
  }

  /** Nothing more is passed on, not even what is left of the chunk at hand. */
  stop(): void {
    this.#stopped = true;
  }

  push(chunk: Buffer): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = undefined;
    let at = 0;
    while (at < bytes.length && !this.#stopped) {
      const next = this.#dataLeft > 0 ? this.#readData(bytes, at) : this.#readFrame(bytes, at);
      if (next === undefined) {
        this.#rest = Buffer.from(bytes.subarray(at));
        return;
      }
      at = next;
    }
  }

  #readData(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#dataLeft);
    this.#dataLeft -= end - at;
    this.#sink.dataPiece(this.#dataStream, bytes.subarray(at, end));
    if (this.#dataLeft === 0) this.#sink.dataEnd(this.#dataStream, this.#dataEndsStream);
    return end;
  }

  /** Returns where to go on, or undefined when the frame is not all here yet. */
  #readFrame(bytes: Buffer, at: number): number | undefined {
    const payload = at + frameHeaderBytes;
    if (payload > bytes.length) return undefined;
    const length = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!;
    const type = bytes[at + 3]!;
    const flags = bytes[at + 4]!;
    const streamId = bytes.readUInt32BE(at + 5) & 0x7fff_ffff;
    if (length > this.#maxFrameBytes) {
      this.#sink.oversized(type, length);
      return bytes.length;
    }
    if (type === FrameType.data && (flags & Flag.padded) === 0) {
      this.#beginData(streamId, length, (flags & Flag.endStream) !== 0);
      return payload;
    }
    if (payload + length > bytes.length) return undefined;
    this.#sink.frame(type, flags, streamId, bytes.subarray(payload, payload + length));
    return payload + length;
  }

  #beginData(streamId: number, length: number, endStream: boolean): void {
    this.#dataLeft = length;
    this.#dataStream = streamId;
    this.#dataEndsStream = endStream;
    this.#sink.dataStart(streamId, length);
    if (length === 0) this.#sink.dataEnd(streamId, endStream);
  }
}
