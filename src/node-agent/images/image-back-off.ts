/** How long a pull that failed waits for its next try: 10 s, twice as long each time, 300 s at most. */
import type { Clock } from '../../base/clock.ts';

const firstMs = 10_000;
const maxMs = 300_000;
/** A failure that is so long ago does not count any more. */
const forgottenMs = 2 * maxMs;
/** Keys that are remembered; the oldest go first. */
const mostKeys = 4096;

interface Failure {
  readonly delayMs: number;
  readonly at: number;
  readonly text: string;
}

export class ImageBackOff {
  readonly #clock: Clock;
  readonly #failures = new Map<string, Failure>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The last failure, as long as it is too early to try again. */
  reasonToWait(key: string): string | undefined {
    const failure = this.#failures.get(key);
    return failure !== undefined && this.#clock.now() - failure.at < failure.delayMs ? failure.text : undefined;
  }

  failed(key: string, text: string): void {
    const before = this.#failures.get(key);
    const at = this.#clock.now();
    const isRecent = before !== undefined && at - before.at <= forgottenMs;
    this.#failures.delete(key);
    if (this.#failures.size >= mostKeys) this.#failures.delete(this.#failures.keys().next().value!);
    this.#failures.set(key, { delayMs: isRecent ? Math.min(maxMs, 2 * before.delayMs) : firstMs, at, text });
  }

  succeeded(key: string): void {
    this.#failures.delete(key);
  }

  forget(prefix: string): void {
    for (const key of this.#failures.keys()) if (key.startsWith(prefix)) this.#failures.delete(key);
  }
}
