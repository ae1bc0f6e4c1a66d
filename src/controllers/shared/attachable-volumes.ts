/** Which of the volumes of a pod have to be attached to its node, and under which names. */
import { createHash } from 'node:crypto';
import type {
  FCVolumeSource,
  ISCSIPersistentVolumeSource,
  PersistentVolume,
  PersistentVolumeAccessMode,
  PersistentVolumeClaim,
  Pod,
  Volume,
} from '../../api/gen/types/core-v1.ts';
import type { CSIDriver, CSINode, VolumeAttachmentSource } from '../../api/gen/types/storage-v1.ts';
import {
  migratedInline,
  type MigratedVolume,
  migratedVolume,
  pluginsOfNode,
} from '../../api/core/persistent-volumes/migration.ts';
import { ephemeralClaimName } from '../../api/core/pods/claims.ts';
import { problemOfClaim } from './ephemeral-claims.ts';

/** A volume as its CSI driver knows it. */
export interface DriverVolume {
  readonly driver: string;
  readonly handle: string;
}

export interface AttachableVolume {
  /** In the status of the node: the same for all pods that have the volume. */
  readonly name: string;
  /** In messages. */
  readonly title: string;
  /** One node at a time. */
  readonly isExclusive: boolean;
  /** What its driver is to attach. Absent where the node itself makes the connection, and is told that it may. */
  readonly attachment?: DriverVolume & { readonly source: VolumeAttachmentSource };
}

/** `unknown`: what it needs is not there, or not ready. */
export type Resolution = AttachableVolume | 'none' | 'unknown';

export interface VolumeReader {
  /** @param key `namespace/name` */
  claim(key: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  driver(name: string): CSIDriver | undefined;
  csiNode(name: string): CSINode | undefined;
  isGateOn(gate: string): boolean;
}

/** Whether the pod can have a volume to attach: cheap, for an index. */
export const mayHaveAttachable = ({ spec }: Pod): boolean => spec?.volumes?.some(isCandidate) === true;

const isCandidate = (volume: Volume): boolean =>
  volume.persistentVolumeClaim !== undefined ||
  volume.ephemeral !== undefined ||
  volume.iscsi !== undefined ||
  volume.fc !== undefined ||
  inlineOf(volume) !== undefined;

const inlineOf = ({
  awsElasticBlockStore,
  gcePersistentDisk,
  cinder,
  azureDisk,
  azureFile,
  vsphereVolume,
  portworxVolume,
}: Volume): object | undefined =>
  awsElasticBlockStore ?? gcePersistentDisk ?? cinder ?? azureDisk ?? azureFile ?? vsphereVolume ?? portworxVolume;

/** @param node on which the pod is */
export function resolveVolume(pod: Pod, volume: Volume, node: string, reader: VolumeReader): Resolution {
  if (!isCandidate(volume)) return 'none';
  if (volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined)
    return ofClaim(pod, volume, node, reader);
  const byNode = connectedByNode(volume, volume.name ?? '', false);
  if (byNode !== undefined) return byNode;
  const migrated = migratedInline(volume, pod.metadata.namespace ?? '', reader.isGateOn);
  if (migrated === undefined || !isMigratedOn(node, migrated, reader)) return 'none';
  return ofDriver(migrated.name, migrated, { inlineVolumeSpec: migrated.spec }, reader);
}

function ofClaim(pod: Pod, volume: Volume, node: string, reader: VolumeReader): Resolution {
  const name = volume.persistentVolumeClaim?.claimName ?? ephemeralClaimName(pod, volume);
  const claim = reader.claim(`${pod.metadata.namespace}/${name}`);
  if (claim === undefined || claim.status?.phase !== 'Bound' || (claim.spec.volumeName ?? '') === '') return 'unknown';
  if (volume.ephemeral !== undefined && problemOfClaim(pod, claim) !== undefined) return 'unknown';
  const persistent = reader.volume(claim.spec.volumeName!);
  if (persistent === undefined || persistent.spec.claimRef?.uid !== claim.metadata.uid) return 'unknown';
  return ofPersistent(persistent, node, reader);
}

function ofPersistent(volume: PersistentVolume, node: string, reader: VolumeReader): Resolution {
  const { name = '' } = volume.metadata;
  const source = { persistentVolumeName: name };
  if (volume.spec.csi !== undefined) return ofDriver(name, volume, source, reader);
  const byNode = connectedByNode(volume.spec, name, isExclusive(volume.spec.accessModes));
  if (byNode !== undefined) return byNode;
  const migrated = migratedVolume(volume, reader.isGateOn);
  if (migrated === undefined || !isMigratedOn(node, migrated, reader)) return 'none';
  return ofDriver(name, migrated, source, reader);
}

function ofDriver(
  title: string,
  { spec }: Pick<PersistentVolume, 'spec'>,
  source: VolumeAttachmentSource,
  reader: VolumeReader,
): Resolution {
  const { driver = '', volumeHandle: handle = '' } = spec.csi!;
  // A driver that does not say so attaches its volumes.
  if (reader.driver(driver)?.spec.attachRequired === false) return 'none';
  return {
    name: csiName({ driver, handle }),
    title,
    isExclusive: isExclusive(spec.accessModes),
    attachment: { driver, handle, source },
  };
}

/** What the volume of an attachment is; undefined when its persistent volume is gone or of no driver. */
export function driverVolumeOf(source: VolumeAttachmentSource, reader: VolumeReader): DriverVolume | undefined {
  const { persistentVolumeName, inlineVolumeSpec } = source;
  const volume = persistentVolumeName === undefined ? undefined : reader.volume(persistentVolumeName);
  const { csi } = inlineVolumeSpec ?? volume?.spec ?? {};
  const found = csi ?? (volume === undefined ? undefined : migratedVolume(volume, reader.isGateOn)?.spec.csi);
  return found === undefined ? undefined : { driver: found.driver ?? '', handle: found.volumeHandle ?? '' };
}

const isMigratedOn = (node: string, { plugin }: MigratedVolume, reader: VolumeReader): boolean =>
  pluginsOfNode(reader.csiNode(node)?.metadata.annotations).has(plugin);

/** A volume that says nothing of it is left to its driver. */
const isExclusive = (modes: readonly PersistentVolumeAccessMode[] = []): boolean =>
  modes.length > 0 && !modes.some((mode) => mode === 'ReadWriteMany' || mode === 'ReadOnlyMany');

interface NetworkDisks {
  readonly iscsi?: Pick<ISCSIPersistentVolumeSource, 'targetPortal' | 'iqn' | 'lun'>;
  readonly fc?: Pick<FCVolumeSource, 'targetWWNs' | 'lun' | 'wwids'>;
}

function connectedByNode(
  { iscsi, fc }: NetworkDisks,
  title: string,
  isExclusiveHere: boolean,
): AttachableVolume | undefined {
  const name = iscsi !== undefined ? iscsiName(iscsi) : fc !== undefined ? fcName(fc) : undefined;
  return name === undefined ? undefined : { name, title, isExclusive: isExclusiveHere };
}

const iscsiName = ({ targetPortal = '', iqn = '', lun = 0 }: NonNullable<NetworkDisks['iscsi']>): string =>
  `kubernetes.io/iscsi/${targetPortal}:${iqn}:${lun}`;

function fcName({ targetWWNs = [], lun, wwids = [] }: NonNullable<NetworkDisks['fc']>): string | undefined {
  if (targetWWNs.length > 0 && lun !== undefined) return `kubernetes.io/fc/[${targetWWNs.join(' ')}]:${lun}`;
  return wwids.length > 0 ? `kubernetes.io/fc/[${wwids.join(' ')}]` : undefined;
}

const csiPrefix = 'kubernetes.io/csi/';

const csiName = ({ driver, handle }: DriverVolume): string => `${csiPrefix}${driver}^${handle}`;

/** The driver's volume of a name in the status of a node; undefined for one of no driver. */
export function driverVolumeNamed(name: string): DriverVolume | undefined {
  if (!name.startsWith(csiPrefix)) return undefined;
  const [driver, ...handle] = name.slice(csiPrefix.length).split('^');
  return handle.length === 0 ? undefined : { driver: driver!, handle: handle.join('^') };
}

/** The same for each try, so that none makes a second one. */
export const attachmentName = ({ driver, handle }: DriverVolume, node: string): string =>
  `csi-${createHash('sha256').update(`${handle}${driver}${node}`).digest('hex')}`;

/** For metrics: the driver, or the kind of connection. */
export function pluginOf(name: string): string {
  const volume = driverVolumeNamed(name);
  return volume === undefined ? name.split('/').slice(0, 2).join('/') : `kubernetes.io/csi:${volume.driver}`;
}
