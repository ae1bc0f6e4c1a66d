/**
 * Which time a refused client is told to wait: it doubles while a level keeps refusing, and falls by a second at a time
 * when it refuses less.
 */
const mostSeconds = 32;

export class RetryAfter {
  /** Refusals by second, of the last seconds; the last one is still counted. */
  #refusals: { second: number; count: number }[] = [];
  #raisedAt = 0;
  seconds = 1;

  /** @param second since any fixed time */
  refused(second: number): void {
    const last = this.#refusals.at(-1);
    if (last?.second === second) {
      last.count++;
      return;
    }
    this.#adapt(second);
    this.#refusals = this.#refusals.filter((refusal) => second - refusal.second <= mostSeconds);
    this.#refusals.push({ second, count: 1 });
  }

  #adapt(second: number): void {
    const refused = this.#refusals
      .filter((refusal) => second - refusal.second <= this.seconds)
      .reduce((sum, { count }) => sum + count, 0);
    if (refused >= 3 * this.seconds && second - this.#raisedAt >= this.seconds) {
      this.seconds = Math.min(2 * this.seconds, mostSeconds);
      this.#raisedAt = second;
    } else if (refused < this.seconds && this.seconds > 1) this.seconds--;
  }
}
