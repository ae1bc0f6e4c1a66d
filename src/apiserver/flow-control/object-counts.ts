/** How many objects each resource has, as last counted: what a list is expected to cost. */
import type { Clock } from '../../base/clock.ts';

/** A count that was not renewed for so long says that the store has difficulties. */
const staleMs = 3 * 60 * 1000;

export class ObjectCounts {
  readonly #clock: Clock;
  readonly #counts = new Map<string, { count: number; at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param resource with its group: `deployments.apps` @param count negative when it could not be counted */
  set(resource: string, count: number): void {
    if (count >= 0) this.#counts.set(resource, { count, at: this.#clock.now() });
  }

  /** Undefined where nothing was counted: another server's, or not there. Infinite when nothing is known any more. */
  get(resource: string): number | undefined {
    const counted = this.#counts.get(resource);
    if (counted === undefined) return undefined;
    return this.#clock.now() - counted.at > staleMs ? Infinity : counted.count;
  }
}
