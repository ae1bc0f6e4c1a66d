/** @see {@link https://kubernetes.io/docs/reference/instrumentation/metrics/ | Kubernetes metrics reference} */
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { type CountedCreation, countedCreation } from '../shared/counted-creation.ts';

export const claimMetrics = (registry: MetricRegistry | undefined): CountedCreation =>
  countedCreation(registry, {
    attempts: 'ephemeral_volume_controller_create_total',
    failures: 'ephemeral_volume_controller_create_failures_total',
  });
