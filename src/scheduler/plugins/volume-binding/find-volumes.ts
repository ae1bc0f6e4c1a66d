/** What a node has for the claims of a pod: volumes that are there, volumes to be made, or why it does not fit. */
import type { Node, PersistentVolume, PersistentVolumeClaim } from '../../../api/gen/types/core-v1.ts';
import { selectedNode } from '../../../api/core/persistent-volumes/binding.ts';
import { isOnNode, matchVolume, requestOf } from '../../../api/core/persistent-volumes/matching.ts';
import type { PodClaims } from './pod-claims.ts';
import { provisioning, type ProvisioningReader } from './provisioning.ts';

export const reasons = {
  conflict: 'node(s) had volume node affinity conflict',
  noVolume: "node(s) didn't find available persistent volumes to bind",
  noCapacity: 'node(s) did not have enough free storage',
  missing: 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)',
} as const;

/** A claim gets a volume that is there. */
export interface StaticBinding {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume;
}

export interface PodVolumes {
  readonly bindings: readonly StaticBinding[];
  readonly toProvision: readonly PersistentVolumeClaim[];
}

export interface VolumeReader extends ProvisioningReader {
  volume(name: string): PersistentVolume | undefined;
  volumesOfClass(name: string): readonly PersistentVolume[];
}

export function findVolumes(claims: PodClaims, node: Node, storage: VolumeReader): PodVolumes | readonly string[] {
  const found: string[] = boundProblems(claims.bound, node, storage);
  const volumes = claims.delayed.length === 0 ? nothing : findDelayed(claims.delayed, node, storage);
  if (!('bindings' in volumes)) found.push(...volumes);
  return found.length > 0 ? found : (volumes as PodVolumes);
}

const nothing: PodVolumes = { bindings: [], toProvision: [] };

function boundProblems(bound: readonly PersistentVolumeClaim[], node: Node, storage: VolumeReader): string[] {
  for (const { spec } of bound) {
    const volume = storage.volume(spec.volumeName ?? '');
    if (volume === undefined) return [reasons.missing];
    if (!isOnNode(volume, node)) return [reasons.conflict];
  }
  return [];
}

function findDelayed(
  claims: readonly PersistentVolumeClaim[],
  node: Node,
  storage: VolumeReader,
): PodVolumes | readonly string[] {
  const toProvision: PersistentVolumeClaim[] = [];
  const toMatch: PersistentVolumeClaim[] = [];
  for (const claim of claims) {
    const selected = claim.metadata.annotations?.[selectedNode];
    if (selected === undefined) toMatch.push(claim);
    // Its volume is being made for a node.
    else if (selected === node.metadata.name) toProvision.push(claim);
    else return [reasons.noVolume];
  }
  const bindings: StaticBinding[] = [];
  const taken = new Set<string>();
  // The smallest claims first, so that they leave large volumes to others.
  for (const claim of toMatch.sort((a, b) => requestOf(a).compare(requestOf(b)))) {
    const className = claim.spec.storageClassName ?? '';
    const volume = matchVolume(claim, storage.volumesOfClass(className), { node, taken });
    if (volume === undefined) toProvision.push(claim);
    else {
      taken.add(volume.metadata.name ?? '');
      bindings.push({ claim, volume });
    }
  }
  for (const claim of toProvision) {
    const possibility = provisioning(claim, node, storage);
    if (possibility === 'impossible') return [reasons.noVolume];
    if (possibility === 'noCapacity') return [reasons.noCapacity];
  }
  return { bindings, toProvision };
}
