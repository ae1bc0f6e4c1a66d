/** @see {@link https://kubernetes.io/docs/reference/instrumentation/metrics/ | Kubernetes metrics reference} */
import { Histogram } from 'prom-client';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { isPodReady, timeMs } from '../shared/pod-conditions.ts';
import { perRegistry } from '../shared/per-registry.ts';

export const replicaSetMetrics = perRegistry((registry) => new ReplicaSetMetrics(registry));

export class ReplicaSetMetrics {
  readonly #ageRatio: Histogram;

  constructor(registry: MetricRegistry) {
    this.#ageRatio = new Histogram({
      name: 'replicaset_controller_sorting_deletion_age_ratio',
      help: 'Age of ready pods that are deleted, in ages of the youngest ready pod. Below 2 where the young ones go.',
      buckets: [0.25, 0.5, 1, 2, 4, 8],
      registers: [registry],
    });
  }

  /** Some of the pods were chosen to be deleted. */
  chosen(victims: readonly Pod[], pods: readonly Pod[], nowMs: number): void {
    if (victims.length === pods.length) return;
    for (const ratio of ageRatios(victims, pods, nowMs)) this.#ageRatio.observe(ratio);
  }
}

/** Of the ready ones among the victims; none where no time has passed since the youngest pod was made. */
export function ageRatios(victims: readonly Pod[], pods: readonly Pod[], nowMs: number): number[] {
  const ageMs = ({ metadata }: Pod): number => nowMs - timeMs(metadata.creationTimestamp!);
  const youngestMs = Math.min(...pods.filter(isPodReady).map(ageMs));
  return youngestMs > 0 ? victims.filter(isPodReady).map((pod) => ageMs(pod) / youngestMs) : [];
}
