/** Which VolumeAttributesClasses claims and volumes have, had or are to get. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/gen/types/core-v1.ts';

export function classesOfClaim({ spec, status }: PersistentVolumeClaim): string[] {
  const names = [
    spec.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.filter((name) => name !== undefined && name !== ''))] as string[];
}

export const classesOfVolume = ({ spec }: PersistentVolume): string[] =>
  (spec.volumeAttributesClassName ?? '') === '' ? [] : [spec.volumeAttributesClassName!];

/** Those that an object has let go. */
export const letGo = (before: readonly string[], after: readonly string[]): string[] =>
  before.filter((name) => !after.includes(name));
