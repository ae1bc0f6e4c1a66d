/** How many volumes of a CSI driver a node can have attached. */
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/gen/types/core-v1.ts';
import type { CSINode, VolumeAttachment } from '../../api/gen/types/storage-v1.ts';
import { actions } from '../framework/cluster-event.ts';
import type { EnqueuePlugin, FilterPlugin, Has, PreFilterPlugin } from '../framework/plugin.ts';
import { skip, unschedulable } from '../framework/status.ts';
import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import { classOf, noProvisioner } from '../../api/core/persistent-volumes/class-of.ts';
import { driverOfPlugin, migratedVolume, pluginsOfNode } from '../../api/core/persistent-volumes/migration.ts';
import { namedClaims } from '../../api/core/pods/claims.ts';
import type { StorageReader } from './volumes/storage-reader.ts';
import { usesClaim } from './volume-restrictions.ts';

const name = 'NodeVolumeLimits';
const skipped = { status: skip(name) };
const tooMany = unschedulable(name, 'node(s) exceed max volume count');

export type LimitsReader = Pick<StorageReader, 'claim' | 'volume' | 'storageClass' | 'csiNode' | 'attachmentsOn'>;

export function createNodeVolumeLimits(storage: LimitsReader): Has<PreFilterPlugin & FilterPlugin & EnqueuePlugin> {
  return {
    name,
    preFilter: (_, { claims }) => (claims.length === 0 ? skipped : undefined),
    filter: (_, pod, node) => (exceeds(pod, node, storage) ? tooMany : undefined),
    events: [
      {
        resource: 'CSINode',
        action: actions.add | actions.updateOther,
        hint: (_, before, after) => hasMore(before, after),
      },
      { resource: 'AssignedPod', action: actions.delete, hint: (_, before) => hasClaims(before as Pod) },
      {
        resource: 'PersistentVolumeClaim',
        action: actions.add | actions.updateOther,
        hint: (pod, _, after) => usesClaim(pod, after as PersistentVolumeClaim),
      },
      {
        resource: 'VolumeAttachment',
        action: actions.delete,
        hint: (pod, before) => mayUseDriver(pod, before as VolumeAttachment, storage),
      },
    ],
  };
}

const hasClaims = ({ spec }: Pod): boolean =>
  (spec.volumes ?? []).some((volume) => volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined);

/** The pod has a volume of the driver, or one of which that is not known yet. */
function mayUseDriver(pod: Pod, { spec }: VolumeAttachment, storage: LimitsReader): boolean {
  return namedClaims(pod).some(({ key }) => {
    const claim = storage.claim(key);
    const volume = claim === undefined ? undefined : volumeOf(key, claim, storage);
    return claim === undefined || volume?.driver === spec.attacher;
  });
}

function limitsOf(csiNode: CSINode | undefined): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  for (const { name: driver = '', allocatable } of csiNode?.spec.drivers ?? [])
    if (allocatable?.count !== undefined) limits.set(driver, allocatable.count);
  return limits;
}

function hasMore(before: unknown, after: unknown): boolean {
  const had = limitsOf(before as CSINode | undefined);
  return [...limitsOf(after as CSINode)].some(([driver, count]) => count > (had.get(driver) ?? -1));
}

function exceeds(pod: PodInfo, node: NodeInfo, storage: LimitsReader): boolean {
  const limits = limitsOf(storage.csiNode(node.name));
  if (limits.size === 0) return false;
  const migrated = pluginsOfNode(storage.csiNode(node.name)?.metadata.annotations);
  const wanted = volumesOf(pod.claims, storage, migrated);
  const attached = volumesOf(node.claims.keys(), storage, migrated);
  // A volume takes its place until it is detached, whatever has become of its pod.
  for (const [volume, driver] of attachedTo(node.name, storage, migrated)) attached.set(volume, driver);
  const counts = new Map<string, number>();
  for (const [volume, driver] of wanted) if (!attached.has(volume)) counts.set(driver, (counts.get(driver) ?? 0) + 1);
  for (const [driver, count] of counts) {
    const limit = limits.get(driver);
    if (limit === undefined) continue;
    let there = 0;
    for (const other of attached.values()) if (other === driver) there++;
    if (there + count > limit) return true;
  }
  return false;
}

/** The drivers of the claims' volumes, by what is the volume's alone. A volume that is used twice is one. */
function volumesOf(
  claims: Iterable<string>,
  storage: LimitsReader,
  migrated: ReadonlySet<string>,
): Map<string, string> {
  const volumes = new Map<string, string>();
  for (const key of claims) {
    const claim = storage.claim(key);
    const volume = claim === undefined ? undefined : volumeOf(key, claim, storage, migrated);
    if (volume !== undefined) volumes.set(`${volume.driver}/${volume.handle}`, volume.driver);
  }
  return volumes;
}

function attachedTo(node: string, storage: LimitsReader, migrated: ReadonlySet<string>): Map<string, string> {
  const volumes = new Map<string, string>();
  for (const { spec } of storage.attachmentsOn(node)) {
    const { persistentVolumeName } = spec.source;
    const volume = persistentVolumeName === undefined ? undefined : storage.volume(persistentVolumeName);
    const found = volume === undefined ? undefined : driverVolume(volume, migrated);
    if (found !== undefined) volumes.set(`${found.driver}/${found.handle}`, found.driver);
  }
  return volumes;
}

interface DriverVolume {
  readonly driver: string;
  readonly handle: string;
}

/** Migrated types whose gates can be turned off attach nothing. */
const always = (): boolean => true;

/** Volumes of types from before CSI are those of a driver where the node leaves the type to it. */
function driverVolume(volume: PersistentVolume, migrated: ReadonlySet<string> | undefined): DriverVolume | undefined {
  const taken = volume.spec.csi === undefined ? migratedVolume(volume, always) : undefined;
  const isTaken = taken !== undefined && migrated?.has(taken.plugin) !== false;
  const csi = volume.spec.csi ?? (isTaken ? taken.spec.csi : undefined);
  return csi === undefined ? undefined : { driver: csi.driver ?? '', handle: csi.volumeHandle ?? '' };
}

/**
 * Undefined for what no CSI driver attaches. A claim without a volume will get one of its class.
 * @param migrated types that a node leaves to their drivers; all when absent
 */
function volumeOf(
  key: string,
  claim: PersistentVolumeClaim,
  storage: LimitsReader,
  migrated?: ReadonlySet<string>,
): DriverVolume | undefined {
  const { volumeName = '' } = claim.spec;
  const volume = volumeName === '' ? undefined : storage.volume(volumeName);
  if (volume !== undefined) return driverVolume(volume, migrated);
  const provisioner = storage.storageClass(classOf(claim))?.provisioner ?? '';
  const isTaken = migrated?.has(provisioner) !== false;
  const driver = (isTaken ? driverOfPlugin(provisioner, always) : undefined) ?? provisioner;
  return driver === '' || driver === noProvisioner ? undefined : { driver, handle: `claim/${key}` };
}
