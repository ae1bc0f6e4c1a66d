/** How often policies are asked, how long their expressions take, and what comes of it. */
import type { Registry } from 'prom-client';
import { SeriesCounter } from '../../../server/metrics/series-counter.ts';
import { SeriesHistogram } from '../../../server/metrics/series-histogram.ts';
import type { ObserveConditions } from '../matching/metrics.ts';
import type { ObservePolicy } from './observations.ts';

const buckets = [5e-7, 0.001, 0.01, 0.1, 1];

export function createPolicyMetrics(registry: Registry, observeConditions: ObserveConditions): ObservePolicy {
  const checks = new SeriesCounter({
    name: 'apiserver_validating_admission_policy_check_total',
    help: 'Validations that failed, by policy, binding and what came of it.',
    registry,
  });
  const durations = new SeriesHistogram({
    name: 'apiserver_validating_admission_policy_check_duration_seconds',
    help: 'Time that validations took that failed, in seconds, by policy, binding and what came of it.',
    buckets,
    registry,
  });
  return (observation) => {
    const { policy, seconds } = observation;
    if (observation.what === 'conditions') {
      const { operation, failed } = observation;
      // The same for policies that mutate.
      return observeConditions({ kind: 'policy', name: policy, operation, type: 'validate', failed, seconds });
    }
    const { binding, action, error } = observation;
    const labels = { enforcement_action: action, error_type: error, policy, policy_binding: binding };
    checks.series(labels).inc();
    durations.series(labels).observe(seconds);
  };
}
