/** What pods and volumes refer to, as far as the node that runs them needs it. */
import type { Container, PersistentVolume, Pod, Volume } from '../../gen/types/core-v1.ts';

export interface PodReferences {
  readonly secrets: ReadonlySet<string>;
  readonly configMaps: ReadonlySet<string>;
  readonly claims: ReadonlySet<string>;
  readonly resourceClaims: ReadonlySet<string>;
  readonly serviceAccount: string;
}

interface Named {
  readonly name?: string;
}

const mirrorAnnotation = 'kubernetes.io/config.mirror';

const nothing: PodReferences = {
  secrets: new Set(),
  configMaps: new Set(),
  claims: new Set(),
  resourceClaims: new Set(),
  serviceAccount: '',
};

/**
 * All names are of the pod's namespace. A mirror pod is the node's own work: through it the node must not reach
 * anything.
 */
export function podReferences({ metadata, spec, status }: Pod): PodReferences {
  if (metadata.annotations?.[mirrorAnnotation] !== undefined) return nothing;
  const {
    volumes = [],
    containers = [],
    initContainers = [],
    ephemeralContainers = [],
    imagePullSecrets = [],
    resourceClaims = [],
    serviceAccountName = '',
  } = spec;
  const all: Pick<Container, 'env' | 'envFrom'>[] = [...containers, ...initContainers, ...ephemeralContainers];
  return {
    secrets: names([...imagePullSecrets, ...all.flatMap(envSecrets), ...volumes.flatMap(volumeSecrets)]),
    configMaps: names([...all.flatMap(envConfigMaps), ...volumes.flatMap(volumeConfigMaps)]),
    claims: names(volumes.map((volume) => ({ name: claimOf(volume, metadata.name ?? '') }))),
    resourceClaims: names([
      ...resourceClaims.map(({ resourceClaimName }) => ({ name: resourceClaimName })),
      ...(status?.resourceClaimStatuses ?? []).map(({ resourceClaimName }) => ({ name: resourceClaimName })),
    ] as Named[]),
    serviceAccount: serviceAccountName,
  };
}

function names(items: readonly (Named | undefined)[]): ReadonlySet<string> {
  return new Set(items.map((item) => item?.name ?? '').filter((name) => name !== ''));
}

const envSecrets = ({ env = [], envFrom = [] }: Pick<Container, 'env' | 'envFrom'>): (Named | undefined)[] => [
  ...envFrom.map(({ secretRef }) => secretRef),
  ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef),
];

const envConfigMaps = ({ env = [], envFrom = [] }: Pick<Container, 'env' | 'envFrom'>): (Named | undefined)[] => [
  ...envFrom.map(({ configMapRef }) => configMapRef),
  ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef),
];

const named = (name: string | undefined): Named => (name === undefined ? {} : { name });

const volumeSecrets = (volume: Volume): (Named | undefined)[] => [
  named(volume.secret?.secretName),
  named(volume.azureFile?.secretName),
  volume.cephfs?.secretRef,
  volume.cinder?.secretRef,
  volume.flexVolume?.secretRef,
  volume.rbd?.secretRef,
  volume.scaleIO?.secretRef,
  volume.iscsi?.secretRef,
  volume.storageos?.secretRef,
  volume.csi?.nodePublishSecretRef,
  ...(volume.projected?.sources ?? []).map(({ secret }) => secret),
];

const volumeConfigMaps = ({ configMap, projected }: Volume): (Named | undefined)[] => [
  configMap,
  ...(projected?.sources ?? []).map((source) => source.configMap),
];

/** An ephemeral volume has a claim of its own, called after pod and volume. */
const claimOf = ({ name = '', persistentVolumeClaim, ephemeral }: Volume, pod: string): string =>
  persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? '' : `${pod}-${name}`);

export interface VolumeReferences {
  /** `namespace/name` */
  readonly claim: string;
  /** `namespace/name`, without those that only a controller uses. */
  readonly secrets: readonly string[];
}

/** Undefined for a volume that is not claimed. */
export function volumeReferences({ spec }: PersistentVolume): VolumeReferences | undefined {
  const { claimRef, azureFile, cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos, csi } = spec;
  if (claimRef === undefined) return undefined;
  const home = claimRef.namespace ?? '';
  const refs: ({ readonly name?: string; readonly namespace?: string } | undefined)[] = [
    azureFile === undefined
      ? undefined
      : { name: azureFile.secretName ?? '', namespace: azureFile.secretNamespace ?? home },
    cephfs?.secretRef,
    cinder?.secretRef,
    flexVolume?.secretRef,
    rbd?.secretRef,
    scaleIO?.secretRef,
    iscsi?.secretRef,
    storageos?.secretRef,
    csi?.nodePublishSecretRef,
    csi?.nodeStageSecretRef,
    csi?.nodeExpandSecretRef,
  ];
  const secrets = refs
    .filter((ref) => ref?.name !== undefined && ref.name !== '')
    .map((ref) => `${ref!.namespace === undefined || ref!.namespace === '' ? home : ref!.namespace}/${ref!.name}`);
  return { claim: `${home}/${claimRef.name ?? ''}`, secrets };
}
