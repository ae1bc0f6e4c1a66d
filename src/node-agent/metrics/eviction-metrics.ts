/** Pods that were ended because a resource is short, by upstream's names. */
import { Counter, Histogram, type Registry } from 'prom-client';

/**
 * A pod is evicted.
 *
 * @param signal of what is short: `memory.available`, or the limit that the pod exceeds: `emptydirfs.limit`
 * @param ageSeconds of the figures by which it was decided; undefined where they are those of the pod
 */
export type EvictionObserver = (signal: string, ageSeconds: number | undefined) => void;

export function createEvictionMetrics(registry: Registry): EvictionObserver {
  const labelNames = ['eviction_signal'];
  const registers = [registry];
  const evictions = new Counter({
    name: 'kubelet_evictions',
    help: 'Pods that were evicted, by what was short.',
    labelNames,
    registers,
  });
  const ages = new Histogram({
    name: 'kubelet_eviction_stats_age_seconds',
    help: 'How old the figures were by which a pod was evicted.',
    labelNames,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  return (signal, ageSeconds) => {
    evictions.inc({ eviction_signal: signal });
    if (ageSeconds !== undefined) ages.observe({ eviction_signal: signal }, ageSeconds);
  };
}
