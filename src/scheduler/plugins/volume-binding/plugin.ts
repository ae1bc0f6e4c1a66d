/**
 * Claims get volumes that the node of their pod can have: volumes that are there are chosen with the node, and others
 * are made for it.
 * @see {@link https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode | Volume binding mode}
 */
import type { Node, PersistentVolume, PersistentVolumeClaim } from '../../../api/gen/types/core-v1.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Client } from '../../../client/client.ts';
import type { VolumeBindingArgs } from '../../config/plugin-args.ts';
import { actions } from '../../framework/cluster-event.ts';
import type { SchedulerObserver } from '../../framework/observer.ts';
import type { StateData } from '../../framework/cycle-state.ts';
import type {
  EnqueuePlugin,
  FilterPlugin,
  Has,
  PreBindPlugin,
  PreFilterPlugin,
  PreScorePlugin,
  ReservePlugin,
  ScorePlugin,
} from '../../framework/plugin.ts';
import { failure, skip, unresolvable } from '../../framework/status.ts';
import { usesClaim } from '../volume-restrictions.ts';
import { volumeFor } from '../../../api/core/persistent-volumes/binding.ts';
import { classOf } from '../../../api/core/persistent-volumes/class-of.ts';
import type { StorageReader } from '../volumes/storage-reader.ts';
import { createCapacityScore } from './capacity-score.ts';
import { AssumedObjects } from './assumed-objects.ts';
import { areBound, claimOnNode, untilBound, writeVolumes } from './bind-volumes.ts';
import { findVolumes, type PodVolumes } from './find-volumes.ts';
import { claimProblem, type PodClaims, sortClaims } from './pod-claims.ts';

const name = 'VolumeBinding';
const skipped = { status: skip(name) };
const unbound = unresolvable(name, 'pod has unbound immediate PersistentVolumeClaims');

class VolumeState implements StateData {
  readonly claims: PodClaims;
  /** By the name of the node. */
  readonly byNode: Map<string, PodVolumes>;

  constructor(claims: PodClaims, byNode = new Map<string, PodVolumes>()) {
    this.claims = claims;
    this.byNode = byNode;
  }

  clone(): VolumeState {
    return new VolumeState(this.claims, new Map(this.byNode));
  }
}

export interface VolumeBindingParts {
  readonly storage: StorageReader;
  readonly node: (name: string) => Node | undefined;
  readonly client: Pick<Client, 'core'>;
  readonly clock: Clock;
  readonly observer: Pick<SchedulerObserver, 'volumesFailed'>;
}

type VolumeBinding = Has<
  PreFilterPlugin & FilterPlugin & PreScorePlugin & ScorePlugin & ReservePlugin & PreBindPlugin & EnqueuePlugin
>;

export function createVolumeBinding(
  { bindTimeoutSeconds, shape }: VolumeBindingArgs,
  parts: VolumeBindingParts,
): VolumeBinding {
  const { storage, client, clock } = parts;
  const claims = new AssumedObjects<PersistentVolumeClaim>((key) => storage.claim(key));
  const volumes = new AssumedObjects<PersistentVolume>((key) => storage.volume(key));
  const assumed = {
    ...storage,
    claim: (key: string) => claims.get(key),
    volume: (key: string) => volumes.get(key),
    volumesOfClass: (className: string) =>
      [...storage.volumes()]
        .filter((volume) => classOf(volume) === className)
        .map((volume) => volumes.get(volume.metadata.name ?? '') ?? volume),
  };
  const capacityScore = shape === undefined ? undefined : createCapacityScore(shape);
  const hasNothingToDo = ({ bindings, toProvision }: PodVolumes): boolean => bindings.length + toProvision.length === 0;
  return {
    name,
    preFilter(state, pod) {
      if (pod.claims.length === 0) return skipped;
      const problem = claimProblem(pod.pod, storage);
      if (problem !== undefined) return { status: unresolvable(name, problem) };
      const sorted = sortClaims(pod.pod, assumed);
      if (sorted.immediate.length > 0) return { status: unbound };
      state.write(name, new VolumeState(sorted));
      return undefined;
    },
    filter(state, _, { name: nodeName, node }) {
      const { claims: sorted, byNode } = state.read<VolumeState>(name)!;
      const found = findVolumes(sorted, node!, assumed);
      if (!('bindings' in found)) return unresolvable(name, ...found);
      byNode.set(nodeName, found);
      return undefined;
    },
    preScore(state) {
      const isScored = capacityScore !== undefined && (state.read<VolumeState>(name)?.claims.delayed.length ?? 0) > 0;
      return isScored ? undefined : skip(name);
    },
    score(state, _, { name: nodeName }) {
      return capacityScore!(state.read<VolumeState>(name)!.byNode.get(nodeName)?.bindings ?? []);
    },
    reserve(state, _, nodeName) {
      const found = state.read<VolumeState>(name)?.byNode.get(nodeName);
      for (const binding of found?.bindings ?? [])
        volumes.assume(binding.volume.metadata.name ?? '', volumeFor(binding.volume, binding.claim));
      for (const claim of found?.toProvision ?? []) claims.assume(keyOf(claim), claimOnNode(claim, nodeName));
      return undefined;
    },
    unreserve(state, _, nodeName) {
      const found = state.read<VolumeState>(name)?.byNode.get(nodeName);
      for (const { volume } of found?.bindings ?? []) volumes.restore(volume.metadata.name ?? '');
      for (const claim of found?.toProvision ?? []) claims.restore(keyOf(claim));
    },
    async preBind(state, _, nodeName, signal) {
      const found = state.read<VolumeState>(name)?.byNode.get(nodeName);
      if (found === undefined || hasNothingToDo(found)) return undefined;
      try {
        await writeVolumes(client, found, nodeName, signal);
        const reader = { ...storage, node: parts.node };
        const timeoutMs = bindTimeoutSeconds * 1000;
        await untilBound(() => areBound(found, nodeName, reader), { clock, timeoutMs, signal });
        return undefined;
      } catch (error) {
        parts.observer.volumesFailed('bind');
        return failure(name, error);
      }
    },
    events: [
      { resource: 'StorageClass', action: actions.add | actions.updateOther },
      {
        resource: 'PersistentVolumeClaim',
        action: actions.add | actions.updateOther,
        hint: (pod, _, after) => usesClaim(pod, after as PersistentVolumeClaim),
      },
      { resource: 'PersistentVolume', action: actions.add | actions.updateOther },
      { resource: 'Node', action: actions.add | actions.updateNodeLabel },
      { resource: 'CSINode', action: actions.add | actions.updateOther },
      { resource: 'CSIDriver', action: actions.add | actions.updateOther },
      { resource: 'CSIStorageCapacity', action: actions.add | actions.updateOther },
    ],
  };
}

const keyOf = ({ metadata }: PersistentVolumeClaim): string => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
