import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';

/**
 * Metrics of a controller, which are registered once: a controller that is started again counts on.
 * @param create registers them
 */
export function perRegistry<M>(
  create: (registry: MetricRegistry) => M,
): (registry: MetricRegistry | undefined) => M | undefined {
  const known = new WeakMap<MetricRegistry, M>();
  return (registry) => {
    if (registry === undefined) return undefined;
    let metrics = known.get(registry);
    if (metrics === undefined) known.set(registry, (metrics = create(registry)));
    return metrics;
  };
}
