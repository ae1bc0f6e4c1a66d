/** @see {@link https://kubernetes.io/docs/reference/instrumentation/metrics/ | Kubernetes metrics reference} */
import { Gauge } from 'prom-client';
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { perRegistry } from '../shared/per-registry.ts';
import type { Conflict } from './volume-users.ts';

const labelNames = [
  'property',
  'pod1_namespace',
  'pod1_name',
  'pod1_value',
  'pod2_namespace',
  'pod2_name',
  'pod2_value',
] as const;

/**
 * Each pair is a series.
 * @NOTE differs from upstream: there is no such limit.
 */
const maxSeries = 1000;

export const conflictMetrics = perRegistry((registry) => new ConflictMetrics(registry));

export class ConflictMetrics {
  #conflicts: (() => Iterable<Conflict>) | undefined;

  constructor(registry: MetricRegistry) {
    const gauge: Gauge<(typeof labelNames)[number]> = new Gauge({
      name: 'selinux_warning_controller_selinux_volume_conflict',
      help: 'Pairs of pods that use a volume with different SELinux labels or policies.',
      labelNames,
      registers: [registry],
      collect: () => {
        gauge.reset();
        let series = 0;
        for (const { property, pod, value, other, otherValue } of this.#conflicts?.() ?? []) {
          if (series++ >= maxSeries) return;
          const [namespace = '', name = ''] = pod.split('/');
          const [otherNamespace = '', otherName = ''] = other.split('/');
          gauge.set(
            {
              property,
              ...{ pod1_namespace: namespace, pod1_name: name, pod1_value: value },
              ...{ pod2_namespace: otherNamespace, pod2_name: otherName, pod2_value: otherValue },
            },
            1,
          );
        }
      },
    });
  }

  /** Whose conflicts are shown from now on. */
  show(conflicts: (() => Iterable<Conflict>) | undefined): void {
    this.#conflicts = conflicts;
  }
}
