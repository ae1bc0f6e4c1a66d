/** Changes of the cluster that can make a pod schedulable, as plugins name them. */
import type { Pod } from '../../api/gen/types/core-v1.ts';

export type EventResource =
  | 'AssignedPod'
  | 'UnscheduledPod'
  /** In what a plugin asks for: both of the former. */
  | 'Pod'
  | 'Node'
  | 'PersistentVolume'
  | 'PersistentVolumeClaim'
  | 'CSINode'
  | 'CSIDriver'
  | 'CSIStorageCapacity'
  | 'StorageClass'
  | 'VolumeAttachment'
  | 'ResourceClaim'
  | 'ResourceSlice'
  | 'DeviceClass'
  | '*';

/** Bits: an event has those of what changed, and a plugin asks for a union of them. */
export const actions = {
  add: 1,
  delete: 2,
  updateNodeAllocatable: 4,
  updateNodeLabel: 8,
  updateNodeTaint: 16,
  updateNodeCondition: 32,
  updateNodeAnnotation: 64,
  updatePodLabel: 128,
  updatePodScaleDown: 256,
  updatePodTolerations: 512,
  updatePodGatesEliminated: 1024,
  /** Any other change. */
  updateOther: 2048,
} as const;

export const everyAction = 4095;
/** Every kind of update. */
export const update = everyAction & ~(actions.add | actions.delete);

export interface ClusterEvent {
  readonly resource: EventResource;
  readonly action: number;
  /** As metrics show it. */
  readonly label: string;
}

const actionNames: readonly (readonly [number, string])[] = [
  [actions.add, 'Add'],
  [actions.delete, 'Delete'],
  [actions.updateNodeAllocatable, 'UpdateNodeAllocatable'],
  [actions.updateNodeLabel, 'UpdateNodeLabel'],
  [actions.updateNodeTaint, 'UpdateNodeTaint'],
  [actions.updateNodeCondition, 'UpdateNodeCondition'],
  [actions.updateNodeAnnotation, 'UpdateNodeAnnotation'],
  [actions.updatePodLabel, 'UpdatePodLabel'],
  [actions.updatePodScaleDown, 'UpdatePodScaleDown'],
  [actions.updatePodTolerations, 'UpdatePodToleration'],
  [actions.updatePodGatesEliminated, 'UpdatePodSchedulingGatesEliminated'],
  [actions.updateOther, 'Update'],
];

const labelOf = (resource: EventResource, action: number): string =>
  `${resource}${actionNames
    .filter(([bit]) => (action & bit) !== 0)
    .map(([, name]) => name)
    .join('')}`;

const known = new Map<string, ClusterEvent>();

export function clusterEvent(resource: EventResource, action: number): ClusterEvent {
  const key = `${resource}/${action}`;
  let event = known.get(key);
  if (event === undefined) known.set(key, (event = { resource, action, label: labelOf(resource, action) }));
  return event;
}

/** Events that no object causes. */
export const unschedulableTimeout: ClusterEvent = {
  resource: '*',
  action: everyAction,
  label: 'UnschedulableTimeout',
};
export const forceActivate: ClusterEvent = { resource: '*', action: everyAction, label: 'ForceActivate' };

/**
 * Whether the change may have made the pod schedulable. What it throws counts as yes: a pod is tried once more rather
 * than forgotten.
 */
export type QueueingHint = (pod: Pod, before: unknown, after: unknown) => boolean;

/** A change that may make pods schedulable that the plugin refused. */
export interface EventWithHint {
  readonly resource: EventResource;
  readonly action: number;
  /** Every pod that the plugin refused is tried again when absent. */
  readonly hint?: QueueingHint;
}

const isPodEvent = (resource: EventResource): boolean => resource === 'AssignedPod' || resource === 'UnscheduledPod';

export function asksFor({ resource, action }: EventWithHint, event: ClusterEvent): boolean {
  if ((action & event.action) === 0) return false;
  if (resource === event.resource || resource === '*' || event.resource === '*') return true;
  return resource === 'Pod' && isPodEvent(event.resource);
}
