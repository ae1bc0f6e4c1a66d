/**
 * Time of the processor for one piece of work, which may ask in between whether it has used it up. On a busy machine
 * what waits is not ended for that.
 */
export class CpuLimit {
  readonly #maxMs: number;
  #started: NodeJS.CpuUsage | undefined;
  #startedMs = 0;

  constructor(maxMs: number) {
    this.#maxMs = maxMs;
  }

  /** A new piece of work: its time begins with the first look. */
  restart(): void {
    this.#started = undefined;
  }

  isOver(): boolean {
    const now = performance.now();
    if (this.#started === undefined) {
      this.#started = process.cpuUsage();
      this.#startedMs = now;
      return false;
    }
    // The clock on the wall says enough while little time has passed.
    if (now - this.#startedMs <= this.#maxMs) return false;
    const { user, system } = process.cpuUsage(this.#started);
    return (user + system) / 1000 > this.#maxMs;
  }
}
