/**
 * Volumes of the types that clouds had before CSI, as the CSI drivers see them that keep these volumes now.
 * @see {@link https://kubernetes.io/docs/concepts/storage/volumes/#csi-migration | CSI migration}
 */
import type {
  CSIPersistentVolumeSource,
  PersistentVolume,
  PersistentVolumeAccessMode,
  PersistentVolumeSpec,
  Volume,
} from '../../gen/types/core-v1.ts';

type Sources = Pick<
  PersistentVolumeSpec,
  | 'awsElasticBlockStore'
  | 'gcePersistentDisk'
  | 'cinder'
  | 'azureDisk'
  | 'azureFile'
  | 'vsphereVolume'
  | 'portworxVolume'
>;

/** What a handle may need beside the source. */
interface Place {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Name of the persistent volume, or of the volume in its pod. */
  readonly name: string;
  /** Of the claim, or of the pod. */
  readonly namespace: string;
}

interface Translated {
  readonly csi: Omit<CSIPersistentVolumeSource, 'driver'>;
  /** What is particular to a volume that stands in a pod, for its name. */
  readonly unique: string;
  /** Of a volume that stands in a pod. */
  readonly modes: readonly PersistentVolumeAccessMode[];
}

interface MigratedType {
  /** Name of the provisioner in storage classes, and in the annotation of CSINode. */
  readonly plugin: string;
  readonly driver: string;
  /** Feature gate without which the type is not migrated. */
  readonly gate?: string;
  translate(sources: Sources, place: Place): Translated | undefined;
}

const once: readonly PersistentVolumeAccessMode[] = ['ReadWriteOnce'];
const readers: readonly PersistentVolumeAccessMode[] = ['ReadOnlyMany'];
const many: readonly PersistentVolumeAccessMode[] = ['ReadWriteMany'];

const optional = <K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } =>
  (value === undefined || value === '' || value === false ? {} : { [key]: value }) as { readonly [P in K]?: V };

const migratedTypes: readonly MigratedType[] = [
  {
    plugin: 'kubernetes.io/aws-ebs',
    driver: 'ebs.csi.aws.com',
    translate({ awsElasticBlockStore: disk }) {
      if (disk === undefined) return undefined;
      const handle = awsHandle(disk.volumeID ?? '');
      if (handle === undefined) return undefined;
      const csi = {
        ...shared(handle, disk),
        volumeAttributes: { partition: String(disk.partition ?? 0) },
      };
      return { csi, unique: handle, modes: once };
    },
  },
  {
    plugin: 'kubernetes.io/gce-pd',
    driver: 'pd.csi.storage.gke.io',
    translate({ gcePersistentDisk: disk }, place) {
      if (disk === undefined) return undefined;
      const where = gcePlace(place.labels);
      if (where === undefined) return undefined;
      const { pdName = '', partition = 0, readOnly = false } = disk;
      const csi = {
        ...shared(`projects/${unspecified}/${where}/disks/${pdName}`, disk),
        volumeAttributes: { partition: partition === 0 ? '' : String(partition) },
      };
      return { csi, unique: pdName, modes: readOnly ? readers : once };
    },
  },
  {
    plugin: 'kubernetes.io/cinder',
    driver: 'cinder.csi.openstack.org',
    translate({ cinder: disk }) {
      if (disk === undefined) return undefined;
      const { volumeID = '' } = disk;
      return { csi: shared(volumeID, disk), unique: volumeID, modes: once };
    },
  },
  {
    plugin: 'kubernetes.io/azure-disk',
    driver: 'disk.csi.azure.com',
    translate({ azureDisk: disk }) {
      if (disk === undefined) return undefined;
      const { diskURI = '', diskName = '', cachingMode, fsType, kind } = disk;
      const volumeAttributes = {
        kind: kind ?? 'Managed',
        'csi-migration': 'true',
        ...optional('cachingMode', cachingMode),
        ...optional('fsType', fsType),
      };
      return { csi: { ...shared(diskURI, disk), volumeAttributes }, unique: diskName, modes: once };
    },
  },
  {
    plugin: 'kubernetes.io/azure-file',
    driver: 'file.csi.azure.com',
    translate({ azureFile: share }, { annotations, name, namespace }) {
      if (share === undefined) return undefined;
      const { secretName = '', shareName = '', secretNamespace = namespace || 'default' } = share;
      const account = /azure-storage-account-(.+)-secret/.exec(secretName)?.[1] ?? secretName;
      const group = annotations['kubernetes.io/azure-file-resource-group'] ?? '';
      const csi = {
        ...shared([group, account, shareName, name, secretNamespace].join('#'), share),
        volumeAttributes: { sharename: shareName },
        nodeStageSecretRef: { name: secretName, namespace: secretNamespace },
      };
      return { csi, unique: shareName, modes: many };
    },
  },
  {
    plugin: 'kubernetes.io/vsphere-volume',
    driver: 'csi.vsphere.vmware.com',
    translate({ vsphereVolume: disk }) {
      if (disk === undefined) return undefined;
      const { volumePath = '', storagePolicyName } = disk;
      const attributes = optional('storagepolicyname', storagePolicyName);
      return { csi: { ...shared(volumePath, disk), volumeAttributes: attributes }, unique: volumePath, modes: once };
    },
  },
  {
    plugin: 'kubernetes.io/portworx-volume',
    driver: 'pxd.portworx.com',
    gate: 'CSIMigrationPortworx',
    translate({ portworxVolume: disk }) {
      if (disk === undefined) return undefined;
      const { volumeID = '', fsType, readOnly = false } = disk;
      // The driver does not hear of it: only the mode says so.
      return {
        csi: shared(volumeID, { ...optional('fsType', fsType) }),
        unique: volumeID,
        modes: readOnly ? readers : once,
      };
    },
  },
];

function shared(
  volumeHandle: string,
  { fsType, readOnly }: { readonly fsType?: string; readonly readOnly?: boolean },
): Omit<CSIPersistentVolumeSource, 'driver'> {
  return { volumeHandle, ...optional('fsType', fsType), ...optional('readOnly', readOnly) };
}

/** Ids may come with their zone, as `aws://zone/vol-1`. Undefined for what is no such id. */
function awsHandle(id: string): string | undefined {
  if (!id.startsWith('aws://')) return id;
  const path = id
    .slice('aws://'.length)
    .replace(/^[^/]*/, '')
    .replace(/^\/+|\/+$/g, '');
  return /^vol-[^/]*$/.test(path) ? path : undefined;
}

const unspecified = 'UNSPECIFIED';
const zoneLabels = ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'] as const;

/** Of a disk: `zones/NAME`, or `regions/NAME` for one that several zones have. Undefined for zones of no one region. */
function gcePlace(labels: Readonly<Record<string, string>>): string | undefined {
  const zones = (labels[zoneLabels[0]] || labels[zoneLabels[1]] || '').split('__');
  if (zones.length === 1) return `zones/${zones[0] || unspecified}`;
  const regions = new Set(zones.map((zone) => /^([^-]+-[^-]+)-[^-]+$/.exec(zone)?.[1]));
  const [region] = regions;
  return regions.size === 1 && region !== undefined ? `regions/${region}` : undefined;
}

/** Disks of GCE never could be written by several nodes, although their volumes may say so. */
function modesOf(type: MigratedType, modes: readonly PersistentVolumeAccessMode[]): PersistentVolumeAccessMode[] {
  if (type.plugin !== 'kubernetes.io/gce-pd' || modes.length === 0) return [...modes];
  return [...(modes.every((mode) => mode === 'ReadOnlyMany') ? readers : once)];
}

export interface MigratedVolume {
  readonly plugin: string;
  readonly driver: string;
  /** As the volume would stand in a persistent volume. */
  readonly name: string;
  readonly spec: PersistentVolumeSpec;
}

type IsGateOn = (gate: string) => boolean;

const isOn = ({ gate }: MigratedType, isGateOn: IsGateOn): boolean => gate === undefined || isGateOn(gate);

/** Undefined for a volume that is of no such type, or that its driver could not find. */
export function migratedVolume(volume: PersistentVolume, isGateOn: IsGateOn): MigratedVolume | undefined {
  const { labels = {}, annotations = {}, name = '' } = volume.metadata;
  const place: Place = { labels, annotations, name, namespace: volume.spec.claimRef?.namespace ?? '' };
  for (const type of migratedTypes) {
    const translated = isOn(type, isGateOn) ? type.translate(volume.spec, place) : undefined;
    if (translated === undefined) continue;
    const { accessModes = [] } = volume.spec;
    const csi = { driver: type.driver, ...translated.csi };
    return { plugin: type.plugin, driver: type.driver, name, spec: { csi, accessModes: modesOf(type, accessModes) } };
  }
  return undefined;
}

/** The same for a volume that stands in a pod of the namespace. */
export function migratedInline(volume: Volume, namespace: string, isGateOn: IsGateOn): MigratedVolume | undefined {
  const place: Place = { labels: {}, annotations: {}, name: volume.name ?? '', namespace };
  for (const type of migratedTypes) {
    const translated = isOn(type, isGateOn) ? type.translate(volume, place) : undefined;
    if (translated === undefined) continue;
    const { plugin, driver } = type;
    const spec: PersistentVolumeSpec = {
      csi: { driver, ...translated.csi },
      accessModes: [...translated.modes],
      ...(plugin === 'kubernetes.io/gce-pd' ? { volumeMode: 'Filesystem' } : {}),
    };
    return { plugin, driver, name: `${driver}-${translated.unique}`, spec };
  }
  return undefined;
}

/** The driver in place of a provisioner from before CSI; undefined for all others. */
export function driverOfPlugin(plugin: string, isGateOn: IsGateOn): string | undefined {
  const found = migratedTypes.find((type) => type.plugin === plugin);
  return found !== undefined && isOn(found, isGateOn) ? found.driver : undefined;
}

/** Of CSINode. */
export const pluginsAnnotation = 'storage.alpha.kubernetes.io/migrated-plugins';

export const migratedPlugins: readonly string[] = migratedTypes.map(({ plugin }) => plugin);

/** Types whose volumes the node leaves to their drivers. @param annotations of its CSINode */
export const pluginsOfNode = (annotations: Readonly<Record<string, string>> | undefined): ReadonlySet<string> =>
  new Set((annotations?.[pluginsAnnotation] ?? '').split(',').filter(Boolean));
