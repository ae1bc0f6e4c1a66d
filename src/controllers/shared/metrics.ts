/** Metrics of controllers: a controller that is started again goes on with those of its last run. */
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';

const made = new WeakMap<MetricRegistry, Map<string, unknown>>();

/** The metric of the name in the registry, made by the first caller. */
export function metricOf<M>(registry: MetricRegistry, name: string, make: (name: string) => M): M {
  let metrics = made.get(registry);
  if (metrics === undefined) made.set(registry, (metrics = new Map()));
  if (!metrics.has(name)) metrics.set(name, make(name));
  return metrics.get(name) as M;
}
