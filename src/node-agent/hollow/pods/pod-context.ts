/** What the pods of this process share. */
import type { SimulatedRuntime } from '../simulated-runtime.ts';
import type { StageLanes } from '../stages/lifecycle.ts';

export interface PodContext {
  readonly runtime: SimulatedRuntime;
  readonly stages: StageLanes;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** A number in [0, 1). */
  readonly random: () => number;
}
