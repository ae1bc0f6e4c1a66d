import type { PersistentVolume, PersistentVolumeClaim } from '../../gen/types/core-v1.ts';
import type { ObjectMeta } from '../../../machinery/object-meta.ts';
import { ageCell } from '../../table/cells.ts';
import { classAnnotation } from './warnings.ts';

const shortModes = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const;

const modesCell = (modes: readonly string[] | undefined): string =>
  shortModes
    .filter(([mode]) => modes?.includes(mode) === true)
    .map(([, short]) => short)
    .join(',');
const phaseCell = ({ deletionTimestamp }: ObjectMeta, phase: string | undefined): string =>
  deletionTimestamp === undefined ? (phase ?? '') : 'Terminating';
const classCell = ({ annotations }: ObjectMeta, name: string | undefined): string =>
  annotations?.[classAnnotation] ?? name ?? '';
const unset = '<unset>';

export const persistentVolumeCells = ({ metadata, spec, status }: PersistentVolume, now: Date): string[] => [
  metadata.name ?? '',
  spec.capacity?.['storage'] ?? '0',
  modesCell(spec.accessModes),
  spec.persistentVolumeReclaimPolicy ?? '',
  phaseCell(metadata, status.phase),
  spec.claimRef === undefined ? '' : `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}`,
  classCell(metadata, spec.storageClassName),
  spec.volumeAttributesClassName ?? unset,
  status.reason ?? '',
  ageCell(metadata.creationTimestamp, now),
  spec.volumeMode ?? unset,
];

/** Capacity and modes are those of the volume: without one there are none. */
export function persistentVolumeClaimCells({ metadata, spec, status }: PersistentVolumeClaim, now: Date): string[] {
  const { volumeName = '' } = spec;
  const [capacity, modes] =
    volumeName === '' ? ['', ''] : [status.capacity?.['storage'] ?? '0', modesCell(status.accessModes)];
  return [
    metadata.name ?? '',
    phaseCell(metadata, status.phase),
    volumeName,
    capacity,
    modes,
    classCell(metadata, spec.storageClassName),
    spec.volumeAttributesClassName ?? unset,
    ageCell(metadata.creationTimestamp, now),
    spec.volumeMode ?? unset,
  ];
}
