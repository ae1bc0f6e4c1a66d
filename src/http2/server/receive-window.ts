import { ErrorCode, FrameType, defaultWindowBytes, frame, uint32 } from '../frames.ts';
import { ConnectionError } from '../header-blocks.ts';
import type { WriteBuffer } from '../write-buffer.ts';

/** How much a client may send of all bodies together (RFC 9113, section 6.9). */
export class ReceiveWindow {
  readonly #writeBuffer: WriteBuffer;
  readonly #bytes: number;
  #left: number;
  #unannounced = 0;

  constructor(writeBuffer: WriteBuffer, bytes: number) {
    this.#writeBuffer = writeBuffer;
    this.#bytes = bytes;
    this.#left = bytes;
  }

  /** To be called once, with the first frames. */
  announce(): void {
    if (this.#bytes > defaultWindowBytes)
      this.#writeBuffer.append(frame(FrameType.windowUpdate, 0, 0, uint32(this.#bytes - defaultWindowBytes)));
  }

  /** Throws when it is more than was allowed. */
  use(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0)
      throw new ConnectionError(ErrorCode.flowControlError, 'more DATA than the window of the connection');
  }

  /** So much is taken, or dropped: the client may send as much again. It hears of many small ones together. */
  credit(bytes: number): void {
    this.#unannounced += bytes;
    if (this.#unannounced < this.#bytes / 2) return;
    this.#writeBuffer.append(frame(FrameType.windowUpdate, 0, 0, uint32(this.#unannounced)));
    this.#left += this.#unannounced;
    this.#unannounced = 0;
  }
}
