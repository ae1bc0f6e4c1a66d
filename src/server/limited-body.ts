import { GatheredBytes } from '../base/gathered-bytes.ts';
import { BodyTooLarge } from './exchange.ts';

/** A body as it comes, of which never more than `limit` bytes are held. */
export class LimitedBody {
  readonly #limit: number;
  readonly #onTooLarge: (error: BodyTooLarge) => void;
  readonly #bytes = new GatheredBytes();
  #isTooLarge = false;

  /** @param onTooLarge called once, when more came; the rest is dropped */
  constructor(limit: number, onTooLarge: (error: BodyTooLarge) => void) {
    this.#limit = limit;
    this.#onTooLarge = onTooLarge;
  }

  add(piece: Buffer): void {
    if (this.#isTooLarge) return;
    if (this.#bytes.length + piece.length <= this.#limit) return this.#bytes.add(piece);
    this.#isTooLarge = true;
    this.#bytes.take();
    this.#onTooLarge(new BodyTooLarge(this.#limit));
  }

  take(): Buffer {
    return this.#bytes.take();
  }
}
