/** @see {@link https://kubernetes.io/docs/reference/instrumentation/metrics/ | Kubernetes metrics reference} */
import { SeriesCounter } from '../../server/metrics/series-counter.ts';
import { SeriesHistogram } from '../../server/metrics/series-histogram.ts';
import { perRegistry } from '../shared/per-registry.ts';

const prefix = 'taint_eviction_controller';
/** In seconds. */
const buckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240];

export interface EvictionMetrics {
  /** @param lateMs how long after its time the pod was deleted */
  deleted(lateMs: number): void;
}

export const evictionMetrics = perRegistry((registry): EvictionMetrics => {
  const deletions = new SeriesCounter({
    name: `${prefix}_pod_deletions_total`,
    help: 'Pods that were deleted for a taint of their node.',
    registry,
  }).series({});
  const latencies = new SeriesHistogram({
    name: `${prefix}_pod_deletion_duration_seconds`,
    help: 'Time from when a pod had to go until it was deleted, in seconds.',
    buckets,
    registry,
  }).series({});
  return {
    deleted(lateMs) {
      deletions.inc();
      latencies.observe(Math.max(0, lateMs) / 1000);
    },
  };
});
