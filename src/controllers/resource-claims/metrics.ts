/** @see {@link https://kubernetes.io/docs/reference/instrumentation/metrics/ | Kubernetes metrics reference} */
import type { ResourceClaim } from '../../api/gen/types/resource-v1beta1.ts';
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { showValues } from '../../server/metrics/series.ts';
import { SeriesCounter } from '../../server/metrics/series-counter.ts';
import { metricOf } from '../shared/metrics.ts';

export interface ClaimMetrics {
  /** Counts an attempt to make a claim, and its failure. */
  created<T>(create: () => Promise<T>): Promise<T>;
}

const prefix = 'resourceclaim_controller';

/** Of the run that is current: a controller that starts again shows its own claims. */
const shown = new WeakMap<MetricRegistry, { claims: () => Iterable<ResourceClaim> }>();

export function claimMetrics(
  registry: MetricRegistry | undefined,
  claims: () => Iterable<ResourceClaim>,
): ClaimMetrics {
  if (registry === undefined) return { created: (create) => create() };
  const counter = (name: string, help: string): SeriesCounter =>
    metricOf(registry, `${prefix}_${name}`, (full) => new SeriesCounter({ name: full, help, registry }));
  const attempts = counter('create_attempts_total', 'Claims that were to be made.').series({});
  const failures = counter('create_failures_total', 'Claims that could not be made.').series({});
  showClaims(registry, claims);
  return {
    async created(create) {
      attempts.inc();
      try {
        return await create();
      } catch (error) {
        failures.inc();
        throw error;
      }
    },
  };
}

function showClaims(registry: MetricRegistry, claims: () => Iterable<ResourceClaim>): void {
  const before = shown.get(registry);
  if (before !== undefined) return void (before.claims = claims);
  const current = { claims };
  shown.set(registry, current);
  const gauge = (name: string, help: string, counts: (claim: ResourceClaim) => boolean): void =>
    showValues({ name: `${prefix}_${name}`, help, type: 'gauge', registry }, () => [
      { labels: {}, value: [...current.claims()].filter(counts).length },
    ]);
  gauge('resource_claims', 'ResourceClaims.', () => true);
  gauge(
    'allocated_resource_claims',
    'ResourceClaims that are allocated.',
    (claim) => claim.status?.allocation !== undefined,
  );
}
