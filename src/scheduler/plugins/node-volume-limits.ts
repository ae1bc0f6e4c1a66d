/** How many volumes of a CSI driver a node can have attached. */
import type { PersistentVolumeClaim, Pod } from '../../api/gen/types/core-v1.ts';
import type { CSINode } from '../../api/gen/types/storage-v1.ts';
import { actions } from '../framework/cluster-event.ts';
import type { EnqueuePlugin, FilterPlugin, Has, PreFilterPlugin } from '../framework/plugin.ts';
import { skip, unschedulable } from '../framework/status.ts';
import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import { classOf, noProvisioner } from '../../api/core/persistent-volumes/class-of.ts';
import type { StorageReader } from './volumes/storage-reader.ts';
import { usesClaim } from './volume-restrictions.ts';

const name = 'NodeVolumeLimits';
const skipped = { status: skip(name) };
const tooMany = unschedulable(name, 'node(s) exceed max volume count');

export type LimitsReader = Pick<StorageReader, 'claim' | 'volume' | 'storageClass' | 'csiNode'>;

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
    ],
  };
}

const hasClaims = ({ spec }: Pod): boolean =>
  (spec.volumes ?? []).some((volume) => volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined);

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
  const wanted = volumesOf(pod.claims, storage);
  const attached = volumesOf(node.claims.keys(), storage);
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
function volumesOf(claims: Iterable<string>, storage: LimitsReader): Map<string, string> {
  const volumes = new Map<string, string>();
  for (const key of claims) {
    const claim = storage.claim(key);
    const volume = claim === undefined ? undefined : volumeOf(key, claim, storage);
    if (volume !== undefined) volumes.set(`${volume.driver}/${volume.handle}`, volume.driver);
  }
  return volumes;
}

/** Undefined for what no CSI driver attaches. A claim without a volume will get one of its class. */
function volumeOf(
  key: string,
  claim: PersistentVolumeClaim,
  storage: LimitsReader,
): { readonly driver: string; readonly handle: string } | undefined {
  const { volumeName = '' } = claim.spec;
  const volume = volumeName === '' ? undefined : storage.volume(volumeName);
  if (volume !== undefined) {
    const { csi } = volume.spec;
    return csi === undefined ? undefined : { driver: csi.driver ?? '', handle: csi.volumeHandle ?? '' };
  }
  const driver = storage.storageClass(classOf(claim))?.provisioner ?? '';
  return driver === '' || driver === noProvisioner ? undefined : { driver, handle: `claim/${key}` };
}
