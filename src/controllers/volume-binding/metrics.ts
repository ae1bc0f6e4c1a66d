/** @see {@link https://kubernetes.io/docs/reference/instrumentation/metrics/ | Kubernetes metrics reference} */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/gen/types/core-v1.ts';
import { modeOf } from '../../api/core/persistent-volumes/matching.ts';
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { type Labels, type MetricValue, showValues } from '../../server/metrics/series.ts';
import { type CountedCreation, countedCreation } from '../shared/counted-creation.ts';
import { perRegistry } from '../shared/per-registry.ts';

export interface Stored {
  readonly volumes: () => Iterable<PersistentVolume>;
  readonly claims: () => Iterable<PersistentVolumeClaim>;
}

export interface BindingMetrics {
  /** Counts that a claim got the default class late, and the failure of it. */
  readonly classSet: CountedCreation;
}

/** @returns metrics of the run of the controller whose objects are counted from now on */
export function bindingMetrics(registry: MetricRegistry | undefined, stored: Stored): BindingMetrics {
  const counts = storedCounts(registry);
  if (counts !== undefined) counts.stored = stored;
  return {
    classSet: countedCreation(registry, {
      attempts: 'retroactive_storageclass_total',
      failures: 'retroactive_storageclass_errors_total',
    }),
  };
}

/** Ends the counting: a controller that does not run knows no objects. */
export function endCounts(registry: MetricRegistry | undefined): void {
  const counts = storedCounts(registry);
  if (counts !== undefined) counts.stored = undefined;
}

const storedCounts = perRegistry((registry) => {
  const counts: { stored: Stored | undefined } = { stored: undefined };
  const volumes = (): Iterable<PersistentVolume> => counts.stored?.volumes() ?? [];
  const claims = (): Iterable<PersistentVolumeClaim> => counts.stored?.claims() ?? [];
  const show = (name: string, help: string, values: () => readonly MetricValue[]): void =>
    showValues({ name: `pv_collector_${name}`, help, type: 'gauge', registry }, values);
  const isBound = ({ status }: PersistentVolume | PersistentVolumeClaim): boolean => status.phase === 'Bound';
  show('total_pv_count', 'PersistentVolumes.', () =>
    countedBy(volumes(), (volume) => ({ plugin_name: pluginOf(volume), volume_mode: modeOf(volume) })),
  );
  show('bound_pv_count', 'PersistentVolumes that are bound.', () =>
    countedBy([...volumes()].filter(isBound), labelsOfVolume),
  );
  show('unbound_pv_count', 'PersistentVolumes that are not bound.', () =>
    countedBy(
      [...volumes()].filter((volume) => !isBound(volume)),
      labelsOfVolume,
    ),
  );
  show('bound_pvc_count', 'PersistentVolumeClaims that are bound.', () =>
    countedBy([...claims()].filter(isBound), labelsOfClaim),
  );
  show('unbound_pvc_count', 'PersistentVolumeClaims that are not bound.', () =>
    countedBy(
      [...claims()].filter((claim) => !isBound(claim)),
      labelsOfClaim,
    ),
  );
  return counts;
});

function countedBy<T>(objects: Iterable<T>, labelsOf: (object: T) => Labels): MetricValue[] {
  const counts = new Map<string, { readonly labels: Labels; value: number }>();
  for (const object of objects) {
    const labels = labelsOf(object);
    const key = JSON.stringify(labels);
    const count = counts.get(key) ?? { labels, value: 0 };
    counts.set(key, count);
    count.value++;
  }
  return [...counts.values()];
}

const labelsOfVolume = ({ spec }: PersistentVolume): Labels => ({ storage_class: spec.storageClassName ?? '' });

const labelsOfClaim = ({ metadata, spec }: PersistentVolumeClaim): Labels => ({
  namespace: metadata.namespace ?? '',
  storage_class: spec.storageClassName ?? '',
  volume_attributes_class: spec.volumeAttributesClassName ?? '',
});

/** Plugins that the original has in its controller manager, by the source of the volume. */
const plugins = {
  hostPath: 'kubernetes.io/host-path',
  nfs: 'kubernetes.io/nfs',
  local: 'kubernetes.io/local-volume',
  fc: 'kubernetes.io/fc',
  iscsi: 'kubernetes.io/iscsi',
} as const;

function pluginOf({ spec }: PersistentVolume): string {
  if (spec.csi !== undefined) return `kubernetes.io/csi:${spec.csi.driver ?? ''}`;
  const source = (Object.keys(plugins) as (keyof typeof plugins)[]).find((name) => spec[name] !== undefined);
  return source === undefined ? 'N/A' : plugins[source];
}
