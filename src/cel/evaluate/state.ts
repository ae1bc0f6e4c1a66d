/** What one evaluation carries: variables, what it has cost, and when it has to stop. */
import type { Value } from '../values/values.ts';
import { Cancelled } from '../values/work.ts';

export type Bindings = Readonly<Record<string, Value | undefined>>;

/**
 * An expression whose cost stays in its budget and still takes longer does something that the units do not show.
 *
 * @NOTE differs from upstream: time ends an evaluation too, and so does work without a cost of its own (`values/work.ts`).
 */
const maxCpuMs = 60;
/** Between two looks at the clock. */
const maxSteps = 256;
const slowMs = 1;

export class State {
  readonly bindings: Bindings;
  /** Iteration variables, by depth. */
  readonly slots: Value[] = [];
  cost = 0;
  private readonly limit: number;
  private steps = 0;
  private nextLook = 1;
  private startedCpu: NodeJS.CpuUsage | undefined;
  private startedMs = 0;
  private lookedMs = 0;

  constructor(bindings: Bindings, limit: number) {
    this.bindings = bindings;
    this.limit = limit;
  }

  /** Before work that costs this much. Throws {@link Cancelled} when the budget is used up. */
  charge(units: number): void {
    this.cost += units;
    this.step();
  }

  /** Once in each round of a loop. Throws {@link Cancelled}. */
  step(): void {
    if (this.cost > this.limit) throw new Cancelled('operation cancelled: actual cost limit exceeded');
    if (++this.steps >= this.nextLook) this.checkTime();
  }

  /** Looks at the clock ever more seldom while steps are short. What counts is the processor's time, on a busy machine as well. */
  private checkTime(): void {
    const now = performance.now();
    const slow = this.lookedMs > 0 && now - this.lookedMs > slowMs;
    this.lookedMs = now;
    this.nextLook = slow ? this.steps + 1 : Math.min(this.steps * 2, this.steps + maxSteps);
    if (this.startedCpu === undefined) {
      if (slow || this.steps >= maxSteps) this.startedCpu = process.cpuUsage();
      return;
    }
    // The clock alone says enough while little time has passed.
    if (now - (this.startedMs ||= now) <= maxCpuMs) return;
    const { user, system } = process.cpuUsage(this.startedCpu);
    if ((user + system) / 1000 > maxCpuMs) throw new Cancelled('operation interrupted');
  }
}
