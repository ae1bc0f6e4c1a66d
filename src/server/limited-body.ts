import { GatheredBytes } from '../base/gathered-bytes.ts';
import type { Reservation } from '../base/memory-quota.ts';
import { BodyTooLarge, TooManyBodies } from './exchange.ts';

/** A body as it comes, of which never more than `limit` bytes are held, nor more than there is memory for. */
export class LimitedBody {
  readonly #limit: number;
  readonly #reservation: Reservation;
  readonly #onRefused: (error: BodyTooLarge | TooManyBodies) => void;
  readonly #bytes = new GatheredBytes();
  #isRefused = false;

  /** @param onRefused called once, when there was too much; the rest is dropped */
  constructor(limit: number, reservation: Reservation, onRefused: (error: BodyTooLarge | TooManyBodies) => void) {
    this.#limit = limit;
    this.#reservation = reservation;
    this.#onRefused = onRefused;
  }

  add(piece: Buffer): void {
    if (this.#isRefused) return;
    const isTooLarge = this.#bytes.length + piece.length > this.#limit;
    if (!isTooLarge && this.#reservation.add(piece.length)) return this.#bytes.add(piece);
    this.#isRefused = true;
    this.#reservation.remove(this.#bytes.take().length);
    this.#onRefused(isTooLarge ? new BodyTooLarge(this.#limit) : new TooManyBodies());
  }

  take(): Buffer {
    return this.#bytes.take();
  }
}
