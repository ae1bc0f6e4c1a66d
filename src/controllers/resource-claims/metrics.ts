/** @see {@link https://kubernetes.io/docs/reference/instrumentation/metrics/ | Kubernetes metrics reference} */
import type { ResourceClaim } from '../../api/gen/types/resource-v1beta1.ts';
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { showValues } from '../../server/metrics/series.ts';
import { type CountedCreation, countedCreation } from '../shared/counted-creation.ts';

export interface ClaimMetrics {
  readonly created: CountedCreation;
}

const prefix = 'resourceclaim_controller';

/** Of the run that is current: a controller that starts again shows its own claims. */
const shown = new WeakMap<MetricRegistry, { claims: () => Iterable<ResourceClaim> }>();

export function claimMetrics(
  registry: MetricRegistry | undefined,
  claims: () => Iterable<ResourceClaim>,
): ClaimMetrics {
  const created = countedCreation(registry, {
    attempts: `${prefix}_create_attempts_total`,
    failures: `${prefix}_create_failures_total`,
  });
  if (registry !== undefined) showClaims(registry, claims);
  return { created };
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
