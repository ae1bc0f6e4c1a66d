/** Counts how often claims are made for pods, and how often that fails. */
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { SeriesCounter } from '../../server/metrics/series-counter.ts';
import { metricOf } from './metrics.ts';

/** Counts an attempt to make a claim, and its failure. */
export type CountedCreation = <T>(create: () => Promise<T>) => Promise<T>;

/** @param names of the counters */
export function countedCreation(
  registry: MetricRegistry | undefined,
  names: { readonly attempts: string; readonly failures: string },
): CountedCreation {
  if (registry === undefined) return (create) => create();
  const counter = (name: string, help: string): SeriesCounter =>
    metricOf(registry, name, () => new SeriesCounter({ name, help, registry }));
  const attempts = counter(names.attempts, 'Claims that were to be made.').series({});
  const failures = counter(names.failures, 'Claims that could not be made.').series({});
  return async (create) => {
    attempts.inc();
    try {
      return await create();
    } catch (error) {
      failures.inc();
      throw error;
    }
  };
}
