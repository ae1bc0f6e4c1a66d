/**
 * Buffers to write into before the size of the result is known. A writer that finds no space throws {@link
 * scratchFull}, and its whole work starts again with a larger buffer: that happens a few times in the life of a
 * process, and saves every writer from checking for space.
 */
import { EncodeError } from '../codec/decode-error.ts';

/** Signals that the scratch buffer is too small. Never leaves the codec. */
class ScratchFull extends Error {
  override readonly name = 'ScratchFull';
}

export const scratchFull = new ScratchFull('scratch buffer is full');

/** Writers of unbounded size leave this much; what is of fixed size between two of them needs no check. */
export const reserve = 4096;

const initialSize = 64 * 1024;
/** A larger buffer that one object needed is not kept. */
const keptSize = 4 * 1024 * 1024;
const maxSize = 1024 * 1024 * 1024;

export class Scratch {
  #buffer: Buffer = Buffer.allocUnsafeSlow(initialSize);
  #inUse = false;

  /** Runs `work` until the buffer is large enough. The result must not refer to the buffer, which is used again. */
  run<T>(work: (buffer: Buffer) => T): T {
    let buffer: Buffer = this.#buffer;
    // A writer that is called from within a writer gets a buffer of its own.
    if (this.#inUse) buffer = Buffer.allocUnsafeSlow(initialSize);
    const outermost = !this.#inUse;
    this.#inUse = true;
    try {
      for (;;) {
        try {
          return work(buffer);
        } catch (error) {
          if (error !== scratchFull) throw error;
          buffer = this.#larger(buffer, outermost);
        }
      }
    } finally {
      if (outermost) this.#inUse = false;
    }
  }

  #larger(buffer: Buffer, keep: boolean): Buffer {
    if (buffer.length >= maxSize) throw new EncodeError('object is too large to be encoded');
    const larger = Buffer.allocUnsafeSlow(buffer.length * 4);
    if (keep && larger.length <= keptSize) this.#buffer = larger;
    return larger;
  }
}

/** A copy of part of the scratch buffer, in memory of its own: small results do not pin a shared block. */
export function copyOut(buffer: Buffer, start: number, end: number): Buffer {
  const out = Buffer.allocUnsafeSlow(end - start);
  buffer.copy(out, 0, start, end);
  return out;
}
