import { systemClock } from '../../base/clock.ts';
import { adjustmentMs, type FairQueuing, FlowControl } from '../flow-control/flow-control.ts';
import { FlowControlMetrics } from '../flow-control/flow-control-metrics.ts';
import { ObjectCounts } from '../flow-control/object-counts.ts';
import type { SharedDependencies } from './shared-dependencies.ts';

/** Undefined with `--enable-priority-and-fairness=false`. */
export function createFairQueuing({ config, metrics }: SharedDependencies): FairQueuing | undefined {
  const { inFlight, isFair } = config;
  if (!isFair) return undefined;
  const counts = new ObjectCounts(systemClock);
  const control = new FlowControl({
    seats: inFlight.readOnly + inFlight.mutating,
    clock: systemClock,
    countOf: (resource) => counts.get(resource),
    metrics: new FlowControlMetrics(metrics.registry, () => systemClock.now()),
  });
  return { control, counts, adjustmentMs };
}
