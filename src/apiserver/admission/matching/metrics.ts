/** How long match conditions take, and how many of them fail. */
import type { Registry } from 'prom-client';
import { SeriesCounter } from '../../../server/metrics/series-counter.ts';
import { SeriesHistogram } from '../../../server/metrics/series-histogram.ts';

/** Conditions that kept a webhook or a policy from being asked, or of which so many failed. */
export interface ConditionsObservation {
  readonly kind: 'webhook' | 'policy';
  readonly name: string;
  readonly operation: string;
  /** The phase, by the name that the kind has for it. */
  readonly type: string;
  readonly failed: number;
  readonly seconds: number;
}

export type ObserveConditions = (observation: ConditionsObservation) => void;

const buckets = [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25];

export function createConditionMetrics(registry: Registry): ObserveConditions {
  const durations = new SeriesHistogram({
    name: 'apiserver_admission_match_condition_evaluation_seconds',
    help: 'Time that match conditions took that were not all true, in seconds.',
    buckets,
    registry,
  });
  const errors = new SeriesCounter({
    name: 'apiserver_admission_match_condition_evaluation_errors_total',
    help: 'Match conditions that failed.',
    registry,
  });
  return ({ failed, seconds, kind, name, operation, type }) => {
    const labels = { kind, name, operation, type };
    durations.series(labels).observe(seconds);
    for (let i = 0; i < failed; i++) errors.series(labels).inc();
  };
}
