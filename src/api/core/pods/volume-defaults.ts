import type {
  AzureDiskVolumeSource,
  DownwardAPIVolumeFile,
  PersistentVolumeClaimSpec,
  ProjectedVolumeSource,
  RBDVolumeSource,
  ScaleIOVolumeSource,
  Volume,
} from '../../gen/types/core-v1.ts';
import { roundResourceList } from '../resources/quantities.ts';
import { defaultPullPolicy } from './pull-policy.ts';
import { volumeSources } from './volumes.ts';

/** 0644 */
const fileMode = 420;
const tokenSeconds = 3600;

export function setVolumeDefaults(volume: Volume): void {
  const { hostPath, secret, configMap, downwardAPI, projected, iscsi, rbd, azureDisk, scaleIO, ephemeral, image } =
    volume;
  if (hostPath !== undefined) hostPath.type ??= '';
  if (secret !== undefined) secret.defaultMode ??= fileMode;
  if (configMap !== undefined) configMap.defaultMode ??= fileMode;
  if (downwardAPI !== undefined) {
    downwardAPI.defaultMode ??= fileMode;
    setFileDefaults(downwardAPI.items);
  }
  if (projected !== undefined) setProjectedDefaults(projected);
  if (iscsi !== undefined) iscsi.iscsiInterface ??= 'default';
  if (rbd !== undefined) setRbdDefaults(rbd);
  if (azureDisk !== undefined) setAzureDiskDefaults(azureDisk);
  if (scaleIO !== undefined) setScaleIoDefaults(scaleIO);
  if (ephemeral?.volumeClaimTemplate !== undefined) setClaimSpecDefaults(ephemeral.volumeClaimTemplate.spec);
  if (image !== undefined) image.pullPolicy ??= defaultPullPolicy(image.reference ?? '');
  if (volumeSources.every((source) => volume[source] === undefined)) volume.emptyDir = {};
}

function setFileDefaults(files: readonly DownwardAPIVolumeFile[] | undefined): void {
  files?.forEach(({ fieldRef }) => {
    if (fieldRef !== undefined) fieldRef.apiVersion ??= 'v1';
  });
}

function setProjectedDefaults(projected: ProjectedVolumeSource): void {
  projected.defaultMode ??= fileMode;
  projected.sources?.forEach(({ downwardAPI, serviceAccountToken }) => {
    setFileDefaults(downwardAPI?.items);
    if (serviceAccountToken !== undefined) serviceAccountToken.expirationSeconds ??= tokenSeconds;
  });
}

export function setRbdDefaults(rbd: Pick<RBDVolumeSource, 'pool' | 'user' | 'keyring'>): void {
  rbd.pool ??= 'rbd';
  rbd.user ??= 'admin';
  rbd.keyring ??= '/etc/ceph/keyring';
}

export function setAzureDiskDefaults(disk: AzureDiskVolumeSource): void {
  disk.cachingMode ??= 'ReadWrite';
  disk.kind ??= 'Shared';
  disk.fsType ??= 'ext4';
  disk.readOnly ??= false;
}

export function setScaleIoDefaults(volume: Pick<ScaleIOVolumeSource, 'storageMode' | 'fsType'>): void {
  volume.storageMode ??= 'ThinProvisioned';
  volume.fsType ??= 'xfs';
}

/** What a claim asks for, in claims and in templates of them. */
export function setClaimSpecDefaults(spec: PersistentVolumeClaimSpec): void {
  spec.volumeMode ??= 'Filesystem';
  roundResourceList(spec.resources.limits);
  roundResourceList(spec.resources.requests);
}
