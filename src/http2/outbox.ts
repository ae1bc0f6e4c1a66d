import type { Duplex } from 'node:stream';

const chunkBytes = 32 * 1024;
/** Longer pieces are handed to the socket as they are instead of being copied. */
const copyLimitBytes = 8 * 1024;

/**
 * Gathers what one turn of the event loop wants to send and hands it to the socket in one write: with many callers
 * the write is what a call costs most.
 */
export class Outbox {
  readonly #socket: Duplex;
  readonly #onFlush: () => void;
  #chunks: Buffer[] = [];
  #spare: Buffer | undefined;
  #current: Buffer | undefined;
  #used = 0;
  #scheduled = false;

  constructor(socket: Duplex, onFlush: () => void) {
    this.#socket = socket;
    this.#onFlush = onFlush;
  }

  /** Room for `length` bytes (at most 8 KiB) that the caller fills before it returns. */
  reserve(length: number): { readonly buffer: Buffer; readonly offset: number } {
    if (this.#current === undefined || this.#used + length > chunkBytes) this.#startChunk();
    const offset = this.#used;
    this.#used += length;
    this.#schedule();
    return { buffer: this.#current!, offset };
  }

  /** `bytes` must not change until it is sent when it is longer than 8 KiB. */
  append(bytes: Buffer): void {
    if (bytes.length <= copyLimitBytes) {
      const { buffer, offset } = this.reserve(bytes.length);
      buffer.set(bytes, offset);
      return;
    }
    this.#endChunk();
    this.#chunks.push(bytes);
    this.#schedule();
  }

  flush(): void {
    this.#scheduled = false;
    const recycled = this.#chunks.length === 0 ? this.#current : undefined;
    this.#endChunk();
    const chunks = this.#chunks;
    if (chunks.length === 0 || !this.#socket.writable) return;
    this.#chunks = [];
    this.#onFlush();
    if (chunks.length === 1) {
      this.#socket.write(chunks[0], () => (this.#spare = recycled));
      return;
    }
    this.#socket.cork();
    for (const chunk of chunks) this.#socket.write(chunk);
    this.#socket.uncork();
  }

  #startChunk(): void {
    this.#endChunk();
    this.#current = this.#spare ?? Buffer.allocUnsafeSlow(chunkBytes);
    this.#spare = undefined;
  }

  #endChunk(): void {
    if (this.#used > 0) this.#chunks.push(this.#current!.subarray(0, this.#used));
    this.#current = undefined;
    this.#used = 0;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.flush());
  }
}
