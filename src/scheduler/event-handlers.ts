/** Tells the cluster state and the queue what informers tell. */
import type { Node, Pod } from '../api/gen/types/core-v1.ts';
import { isPodTerminal } from '../api/core/pods/is-terminal.ts';
import type { Informer } from '../reconcile/informer.ts';
import { actions, clusterEvent, type EventResource } from './framework/cluster-event.ts';
import type { SchedulerInformers } from './informers.ts';
import type { SchedulingQueue } from './queue/scheduling-queue.ts';
import type { ClusterState } from './state/cluster-state.ts';
import { nodeChanges } from './state/node-changes.ts';
import { podChanges } from './state/pod-changes.ts';

export interface EventTargets {
  readonly cluster: ClusterState;
  readonly queue: SchedulingQueue;
  /** Whether a scheduler of this process is the pod's. */
  readonly isOurs: (pod: Pod) => boolean;
}

const events = {
  podAdded: clusterEvent('AssignedPod', actions.add),
  podDeleted: clusterEvent('AssignedPod', actions.delete),
  unscheduledPodDeleted: clusterEvent('UnscheduledPod', actions.delete),
  nodeAdded: clusterEvent('Node', actions.add),
  nodeDeleted: clusterEvent('Node', actions.delete),
};

/** @returns what ends that */
export function attachHandlers(informers: SchedulerInformers, targets: EventTargets): () => void {
  const registrations = [
    informers.nodes.addHandler(nodeHandler(targets)),
    informers.pods.addHandler(podHandler(targets)),
    ...otherResources(informers).map(([resource, informer]) => informer.addHandler(otherHandler(resource, targets))),
  ];
  return () => registrations.forEach((registration) => registration.remove());
}

function nodeHandler({ cluster, queue }: EventTargets) {
  return {
    onAdd(node: Node) {
      cluster.setNode(node);
      queue.move(events.nodeAdded, undefined, node);
    },
    onUpdate(before: Node, after: Node) {
      if (before === after) return;
      cluster.setNode(after);
      for (const event of nodeChanges(before, after)) queue.move(event, before, after);
    },
    onDelete(node: Node) {
      cluster.removeNode(node.metadata.name ?? '');
      queue.move(events.nodeDeleted, node, undefined);
    },
  };
}

const isAssigned = ({ spec }: Pod): boolean => (spec.nodeName ?? '') !== '';

/** A pod is one thing or the other: none that counts, one with a node, or one that waits for a node here. */
function podHandler({ cluster, queue, isOurs }: EventTargets) {
  const placed = (pod: Pod): boolean => !isPodTerminal(pod) && isAssigned(pod);
  const waits = (pod: Pod): boolean => !isPodTerminal(pod) && !isAssigned(pod) && isOurs(pod);
  const leaveNode = (pod: Pod): void => {
    cluster.removePod(pod.metadata.uid ?? '');
    queue.move(events.podDeleted, pod, undefined);
  };
  const leaveQueue = (pod: Pod): void => {
    queue.delete(pod);
    // What it was assumed to take is free again, unless it is bound after all.
    if (cluster.isAssumed(pod.metadata.uid ?? '')) return;
    queue.move(events.unscheduledPodDeleted, pod, undefined);
  };
  const come = (pod: Pod): void => {
    if (placed(pod)) {
      cluster.setPod(pod);
      queue.move(events.podAdded, undefined, pod);
    } else if (waits(pod)) queue.add(pod);
  };
  const leave = (pod: Pod): void => {
    if (placed(pod)) leaveNode(pod);
    else if (waits(pod)) leaveQueue(pod);
  };
  const change = (before: Pod, after: Pod): void => {
    if (placed(before) && placed(after)) {
      cluster.setPod(after);
      for (const event of podChanges(before, after)) queue.move(event, before, after);
    } else if (waits(before) && waits(after)) queue.update(before, after);
    else if (waits(before) && placed(after)) {
      queue.delete(before);
      come(after);
    } else {
      leave(before);
      come(after);
    }
  };
  return {
    onAdd: come,
    onUpdate(before: Pod, after: Pod) {
      if (before === after) return;
      // A name can be used again between two looks.
      if (before.metadata.uid === after.metadata.uid) return change(before, after);
      leave(before);
      come(after);
    },
    onDelete: leave,
  };
}

const otherResources = (informers: SchedulerInformers): (readonly [EventResource, Informer<unknown>])[] => [
  ['PersistentVolume', informers.volumes as Informer<unknown>],
  ['PersistentVolumeClaim', informers.claims as Informer<unknown>],
  ['StorageClass', informers.storageClasses as Informer<unknown>],
  ['CSINode', informers.csiNodes as Informer<unknown>],
  ['CSIDriver', informers.csiDrivers as Informer<unknown>],
  ['CSIStorageCapacity', informers.csiStorageCapacities as Informer<unknown>],
  ...(informers.devices === undefined
    ? []
    : ([
        ['ResourceClaim', informers.devices.claims as Informer<unknown>],
        ['ResourceSlice', informers.devices.slices as Informer<unknown>],
        ['DeviceClass', informers.devices.classes as Informer<unknown>],
      ] as const)),
  ['VolumeAttachment', informers.volumeAttachments as Informer<unknown>],
];

function otherHandler(resource: EventResource, { queue }: EventTargets) {
  return {
    onAdd: (object: unknown) => queue.move(clusterEvent(resource, actions.add), undefined, object),
    onUpdate(before: unknown, after: unknown) {
      if (before !== after) queue.move(clusterEvent(resource, actions.updateOther), before, after);
    },
    onDelete: (object: unknown) => queue.move(clusterEvent(resource, actions.delete), object, undefined),
  };
}
