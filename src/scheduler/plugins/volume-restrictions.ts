/** Volumes that only one pod at a time can use: claims of access mode ReadWriteOncePod, and some kinds of disks. */
import { namedClaims } from '../../api/core/pods/claims.ts';
import type { PersistentVolumeClaim, Pod, Volume } from '../../api/gen/types/core-v1.ts';
import { actions } from '../framework/cluster-event.ts';
import type { StateData } from '../framework/cycle-state.ts';
import type { EnqueuePlugin, FilterPlugin, Has, PreFilterPlugin } from '../framework/plugin.ts';
import { skip, unresolvable, unschedulable } from '../framework/status.ts';
import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import { claimNotFound, type StorageReader } from './volumes/storage-reader.ts';

const name = 'VolumeRestrictions';
const skipped = { status: skip(name) };
const diskInUse = unschedulable(name, 'node(s) had no available disk');
const claimInUse = unschedulable(
  name,
  'node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode',
);

class ExclusiveClaims implements StateData {
  readonly claims: ReadonlySet<string>;
  /** How many of them other pods use. */
  conflicts: number;

  constructor(claims: ReadonlySet<string>, conflicts: number) {
    this.claims = claims;
    this.conflicts = conflicts;
  }

  clone(): ExclusiveClaims {
    return new ExclusiveClaims(this.claims, this.conflicts);
  }

  change(pod: PodInfo, change: 1 | -1): void {
    for (const claim of pod.claims) if (this.claims.has(claim)) this.conflicts += change;
  }
}

export interface ClaimUses {
  /** How many pods with a node use the claim. */
  usesOf(claim: string): number;
}

type VolumeRestrictions = Has<PreFilterPlugin & FilterPlugin & EnqueuePlugin>;

export function createVolumeRestrictions(storage: Pick<StorageReader, 'claim'>, uses: ClaimUses): VolumeRestrictions {
  return {
    name,
    preFilter(state, { pod }) {
      const exclusive = new Set<string>();
      for (const { key, name: claimName, isEphemeral } of namedClaims(pod)) {
        const claim = storage.claim(key);
        // Another plugin knows what an ephemeral volume waits for.
        if (claim === undefined && isEphemeral) continue;
        if (claim === undefined) return { status: unresolvable(name, claimNotFound(claimName)) };
        if (claim.spec.accessModes?.includes('ReadWriteOncePod') === true) exclusive.add(key);
      }
      if (exclusive.size === 0 && !hasExclusiveDisk(pod)) return skipped;
      const conflicts = [...exclusive].filter((claim) => uses.usesOf(claim) > 0).length;
      state.write(name, new ExclusiveClaims(exclusive, conflicts));
      return undefined;
    },
    addPod: (state, _, added) => state.read<ExclusiveClaims>(name)?.change(added, 1),
    removePod: (state, _, removed) => state.read<ExclusiveClaims>(name)?.change(removed, -1),
    filter(state, { pod }, node) {
      if (hasDiskConflict(pod, node)) return diskInUse;
      return (state.read<ExclusiveClaims>(name)?.conflicts ?? 0) > 0 ? claimInUse : undefined;
    },
    events: [
      { resource: 'AssignedPod', action: actions.delete, hint: (pod, before) => sharesVolume(pod, before as Pod) },
      {
        resource: 'PersistentVolumeClaim',
        action: actions.add | actions.updateOther,
        hint: (pod, _, after) => usesClaim(pod, after as PersistentVolumeClaim),
      },
      { resource: 'Node', action: actions.add },
    ],
  };
}

/** What makes two volumes the same disk, and whether both may have it. */
function diskOf(volume: Volume): { readonly id: string; readonly isReadOnly: boolean } | undefined {
  const { gcePersistentDisk: gce, awsElasticBlockStore: aws, iscsi, rbd } = volume;
  if (gce !== undefined) return { id: `gce/${gce.pdName ?? ''}`, isReadOnly: gce.readOnly === true };
  // These cannot be shared at all.
  if (aws !== undefined) return { id: `aws/${aws.volumeID ?? ''}`, isReadOnly: false };
  if (iscsi !== undefined) return { id: `iscsi/${iscsi.iqn ?? ''}`, isReadOnly: iscsi.readOnly === true };
  if (rbd === undefined) return undefined;
  const id = `rbd/${[...(rbd.monitors ?? [])].sort().join()}/${rbd.pool ?? ''}/${rbd.image ?? ''}`;
  return { id, isReadOnly: rbd.readOnly === true };
}

const disksOf = ({ spec }: Pod): { readonly id: string; readonly isReadOnly: boolean }[] =>
  (spec.volumes ?? []).map(diskOf).filter((disk) => disk !== undefined);

const hasExclusiveDisk = (pod: Pod): boolean => disksOf(pod).length > 0;

function sharesDisk(a: Pod, b: Pod): boolean {
  const others = disksOf(b);
  return disksOf(a).some((disk) =>
    others.some((other) => other.id === disk.id && !(disk.isReadOnly && other.isReadOnly)),
  );
}

export function hasDiskConflict(pod: Pod, { pods }: NodeInfo): boolean {
  if (!hasExclusiveDisk(pod)) return false;
  for (const other of pods.values()) if (sharesDisk(pod, other.pod)) return true;
  return false;
}

function sharesVolume(pod: Pod, deleted: Pod): boolean {
  const claims = new Set(namedClaims(deleted).map(({ key }) => key));
  return sharesDisk(pod, deleted) || namedClaims(pod).some(({ key }) => claims.has(key));
}

export const usesClaim = (pod: Pod, { metadata }: PersistentVolumeClaim): boolean =>
  namedClaims(pod).some(({ key }) => key === `${metadata.namespace ?? ''}/${metadata.name ?? ''}`);
