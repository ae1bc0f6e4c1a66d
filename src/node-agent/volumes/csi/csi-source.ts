/** What a CSI volume of a pod is: that of a persistent volume, or one that lives with the pod. Pure. */
import { createHash } from 'node:crypto';
import type { SecretReference } from '../../../api/gen/types/core-v1.ts';
import type { VolumeRequest } from '../volume-kind.ts';

export interface CsiSource {
  readonly driver: string;
  /** Identity of the volume for the driver. */
  readonly handle: string;
  /** It lives with the pod, and is not attached or staged. */
  readonly isEphemeral: boolean;
  readonly isReadOnly: boolean;
  readonly fsType: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly accessModes: readonly string[];
  readonly mountOptions: readonly string[];
  readonly isBlock: boolean;
  readonly publishSecret: SecretReference | undefined;
  readonly stageSecret: SecretReference | undefined;
  readonly expandSecret: SecretReference | undefined;
  /** As messages name it. */
  readonly name: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export function csiSource({ pod, volume, persistent, isReadOnly = false }: CsiRequest): CsiSource | undefined {
  const { uid = '', namespace = '' } = pod.metadata;
  if (persistent === undefined) {
    if (volume.csi === undefined) return undefined;
    const { driver = '', readOnly = false, fsType = '', volumeAttributes = {}, nodePublishSecretRef } = volume.csi;
    return {
      driver,
      handle: `csi-${sha256(`${uid}${volume.name}`)}`,
      isEphemeral: true,
      isReadOnly: readOnly,
      fsType,
      attributes: volumeAttributes,
      accessModes: [],
      mountOptions: [],
      isBlock: false,
      publishSecret: nodePublishSecretRef === undefined ? undefined : { ...nodePublishSecretRef, namespace },
      stageSecret: undefined,
      expandSecret: undefined,
      name: volume.name ?? '',
    };
  }
  const { csi, accessModes = [], mountOptions = [], volumeMode } = persistent.spec;
  if (csi === undefined) return undefined;
  return {
    driver: csi.driver ?? '',
    handle: csi.volumeHandle ?? '',
    isEphemeral: false,
    isReadOnly: isReadOnly || csi.readOnly === true,
    fsType: csi.fsType ?? '',
    attributes: csi.volumeAttributes ?? {},
    accessModes,
    mountOptions,
    isBlock: volumeMode === 'Block',
    publishSecret: csi.nodePublishSecretRef,
    stageSecret: csi.nodeStageSecretRef,
    expandSecret: csi.nodeExpandSecretRef,
    name: persistent.metadata.name ?? '',
  };
}

export type CsiRequest = Pick<VolumeRequest, 'pod' | 'volume' | 'persistent' | 'isReadOnly'>;

type Identity = Pick<CsiSource, 'driver' | 'handle'>;

/** As the status of the node names a volume. */
export const uniqueName = ({ driver, handle }: Identity): string => `kubernetes.io/csi/${driver}^${handle}`;

/** Of the VolumeAttachment that stands for the volume on this node. */
export const attachmentName = ({ driver, handle }: Identity, nodeName: string): string =>
  `csi-${sha256(`${handle}${driver}${nodeName}`)}`;

/** Name of its directory among those of the driver. */
export const handleDigest = ({ handle }: Identity): string => sha256(handle);
