/** What one evaluation carries: variables, what it has cost, and when it has to stop. */
import type { Value } from '../values/values.ts';
import { Cancelled, look } from '../values/evaluation-limit.ts';

export type Bindings = Readonly<Record<string, Value | undefined>>;

/**
 * Between two looks at the clock; a power of two. What takes longer than a few microseconds counts as work of its own.
 */
const stepsBetweenLooks = 64;

export class State {
  readonly bindings: Bindings;
  /** Iteration variables, by depth. */
  readonly slots: Value[] = [];
  cost = 0;
  readonly #limit: number;
  #steps = 0;

  constructor(bindings: Bindings, limit: number) {
    this.bindings = bindings;
    this.#limit = limit;
  }

  /** Before work that costs this much. Throws {@link Cancelled} when the budget is used up. */
  charge(units: number): void {
    this.cost += units;
    this.step();
  }

  /** Once in each round of a loop. Throws {@link Cancelled}. */
  step(): void {
    if (this.cost > this.#limit) throw new Cancelled('operation cancelled: actual cost limit exceeded');
    this.#steps++;
    if ((this.#steps & (stepsBetweenLooks - 1)) === 0) look();
  }
}
