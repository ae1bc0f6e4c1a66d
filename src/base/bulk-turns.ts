/**
 * Turns of long answers: in each round of the event loop one of them makes and sends one piece. So short requests,
 * which need a few rounds each, wait for as many pieces and not for all that the clients of long answers would take.
 */
export class BulkTurns {
  readonly #nextRound: (go: () => void) => void;
  #waiting: (() => void)[] = [];
  #head = 0;
  #isScheduled = false;

  /** @param nextRound calls back when everything else had a chance to run */
  constructor(nextRound: (go: () => void) => void = setImmediate) {
    this.#nextRound = nextRound;
  }

  /** To be awaited before each piece. In the order of the calls, one for each round. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#nextRound(() => this.#go());
  }

  #go(): void {
    this.#isScheduled = false;
    const resolve = this.#waiting[this.#head++]!;
    if (this.#head === this.#waiting.length) {
      this.#waiting = [];
      this.#head = 0;
    } else this.#schedule();
    resolve();
  }
}

/** Pieces of long answers have at least so many bytes, but for the last one, which needs no turn. */
const bulkBytes = 64 * 1024;

/** Whether the next piece is to wait for its turn. */
export const isBulk = (piece: Uint8Array): boolean => piece.length >= bulkBytes;

/** Those of this thread, which has one event loop. */
export const bulkTurns = new BulkTurns();
