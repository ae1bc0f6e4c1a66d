/**
 * What a new volume is filled from: dataSource knows claims and snapshots only, dataSourceRef anything; each is filled
 * in from the other.
 * @see {@link https://kep.k8s.io/1495 | KEP-1495}
 */
import type { PersistentVolumeClaimSpec, TypedLocalObjectReference } from '../../gen/types/core-v1.ts';

/** A source that dataSource cannot name is dropped, unless the claim had one already. */
export function dropForeignDataSource(
  spec: PersistentVolumeClaimSpec,
  old: PersistentVolumeClaimSpec | undefined,
): void {
  const inUse = old?.dataSource !== undefined || old?.dataSourceRef !== undefined;
  if (!inUse && !isClaimOrSnapshot(spec.dataSource)) spec.dataSource = undefined;
}

const isClaimOrSnapshot = ({ kind, apiGroup = '' }: TypedLocalObjectReference = {}): boolean =>
  (kind === 'PersistentVolumeClaim' && apiGroup === '') ||
  (kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io');

export function normalizeDataSources(spec: PersistentVolumeClaimSpec): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined && dataSourceRef === undefined) spec.dataSourceRef = { ...dataSource };
  else if (dataSource === undefined && dataSourceRef !== undefined && (dataSourceRef.namespace ?? '') === '') {
    spec.dataSource = { apiGroup: dataSourceRef.apiGroup, kind: dataSourceRef.kind, name: dataSourceRef.name };
  }
}
