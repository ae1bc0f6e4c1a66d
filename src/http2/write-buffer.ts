import type { Duplex } from 'node:stream';

const chunkBytes = 64 * 1024;
/** Longer pieces are handed to the socket as they are instead of being copied. */
const copyLimitBytes = 16 * 1024;
/** Unused chunks, shared by all connections: the next one that writes takes them. */
const spare: Buffer[] = [];
const maxSpare = 32;

interface Piece {
  readonly bytes: Buffer;
  /** What to keep for others when the bytes have left. */
  readonly chunk?: Buffer;
}

/**
 * Gathers what one turn of the event loop wants to send and hands it to the socket in one write: with many callers
 * the write is what a call costs most.
 */
export class WriteBuffer {
  readonly #socket: Duplex;
  readonly #onFlush: (() => void) | undefined;
  readonly #onBacklog: ((bytes: number) => void) | undefined;
  #pieces: Piece[] = [];
  #gathered = 0;
  #current: Buffer | undefined;
  #used = 0;
  #scheduled = false;
  #written = 0;

  /** @param on `backlog` is called when it may have changed */
  constructor(socket: Duplex, on: { readonly flush?: () => void; readonly backlog?: (bytes: number) => void } = {}) {
    this.#socket = socket;
    this.#onFlush = on.flush;
    this.#onBacklog = on.backlog;
  }

  /** Bytes that wait here, or in the socket because the peer does not take them. */
  get backlog(): number {
    return this.#gathered + this.#used + this.#socket.writableLength;
  }

  /**
   * Grows whenever the socket has passed something on: where it stays the same and there is a backlog, the peer takes
   * nothing.
   */
  get progress(): number {
    return this.#written;
  }

  /** Space for `length` bytes (at most 64 KiB) that the caller fills before it returns. */
  reserve(length: number): { readonly buffer: Buffer; readonly offset: number } {
    if (this.#current === undefined || this.#used + length > chunkBytes) this.#startChunk();
    const offset = this.#used;
    this.#used += length;
    this.#schedule();
    return { buffer: this.#current!, offset };
  }

  /** `bytes` must not change until it is sent when it is longer than 16 KiB. */
  append(bytes: Buffer): void {
    if (bytes.length <= copyLimitBytes) {
      const { buffer, offset } = this.reserve(bytes.length);
      buffer.set(bytes, offset);
      return;
    }
    this.#endChunk();
    this.#pieces.push({ bytes });
    this.#gathered += bytes.length;
    this.#schedule();
  }

  flush(): void {
    this.#scheduled = false;
    this.#endChunk();
    const pieces = this.#pieces;
    if (pieces.length === 0 || !this.#socket.writable) return;
    this.#pieces = [];
    this.#gathered = 0;
    this.#onFlush?.();
    if (pieces.length === 1) this.#write(pieces[0]!);
    else {
      this.#socket.cork();
      for (const piece of pieces) this.#write(piece);
      this.#socket.uncork();
    }
    this.#onBacklog?.(this.backlog);
  }

  #write({ bytes, chunk }: Piece): void {
    this.#socket.write(bytes, (error) => {
      this.#written++;
      this.#onBacklog?.(this.backlog);
      // A write that failed may still be under way.
      if (chunk !== undefined && !error && spare.length < maxSpare) spare.push(chunk);
    });
  }

  #startChunk(): void {
    this.#endChunk();
    this.#current = spare.pop() ?? Buffer.allocUnsafeSlow(chunkBytes);
  }

  #endChunk(): void {
    if (this.#used > 0) {
      this.#pieces.push({ bytes: this.#current!.subarray(0, this.#used), chunk: this.#current! });
      this.#gathered += this.#used;
    }
    this.#current = undefined;
    this.#used = 0;
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.flush());
  }
}
