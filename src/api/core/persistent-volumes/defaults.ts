import type { PersistentVolume, PersistentVolumeSpec } from '../../gen/types/core-v1.ts';
import { setAzureDiskDefaults, setRbdDefaults, setScaleIoDefaults } from '../pods/volume-defaults.ts';
import { roundResourceList } from '../resources/quantities.ts';

export function setPersistentVolumeDefaults({ spec, status }: PersistentVolume): void {
  status.phase ??= 'Pending';
  spec.persistentVolumeReclaimPolicy ??= 'Retain';
  spec.volumeMode ??= 'Filesystem';
  setPersistentVolumeSourceDefaults(spec);
}

/** Also for volumes inside attachments, which have no other defaults. */
export function setPersistentVolumeSourceDefaults({
  capacity,
  hostPath,
  iscsi,
  rbd,
  azureDisk,
  scaleIO,
}: PersistentVolumeSpec): void {
  roundResourceList(capacity);
  if (hostPath !== undefined) hostPath.type ??= '';
  if (iscsi !== undefined) iscsi.iscsiInterface ??= 'default';
  if (rbd !== undefined) setRbdDefaults(rbd);
  if (azureDisk !== undefined) setAzureDiskDefaults(azureDisk);
  if (scaleIO !== undefined) setScaleIoDefaults(scaleIO);
}
