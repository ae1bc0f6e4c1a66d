/**
 * What is to be done for a StatefulSet, in which order.
 *
 * Ordered sets do one step at a time and wait for each pod before they look at the next; parallel ones do not wait.
 * First come pods that should be there, then those that are too many, and at last pods that have an old template.
 * @see {@link
 *   https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#deployment-and-scaling-guarantees |
 *   Deployment and scaling guarantees}
 */
import type { StatefulSet, StatefulSetStatus } from '../../api/gen/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/gen/types/core-v1.ts';
import { scaledAmount } from '../shared/fenceposts.ts';
import { isPodTerminal } from '../../api/core/pods/is-terminal.ts';
import { isPodTerminating } from '../shared/pod-conditions.ts';
import { isStaleFor, wantedOwners } from './claim-owners.ts';
import {
  claimsOf,
  isInRange,
  ordinalOf,
  podNameOf,
  repairedPod,
  replicasOf,
  revisionOf,
  startOrdinal,
} from './identity.ts';
import { completed, countedStatus, isRunningAndAvailable, isUnavailable } from './status.ts';

export type Step =
  /** Of the current revision where `isCurrent`, else of the new one. With its claims. */
  | { readonly do: 'create'; readonly ordinal: number; readonly isCurrent: boolean }
  | { readonly do: 'delete'; readonly pod: Pod }
  /** The claims that a pod waits for. */
  | { readonly do: 'createClaims'; readonly pod: Pod }
  /** The claims get their owners, and nothing is told of it. */
  | { readonly do: 'ownClaims'; readonly pod: Pod }
  /** The pod gets its identity, and its claims their owners. */
  | { readonly do: 'update'; readonly pod: Pod };

/** Steps of one pod, one after the other. */
export type Task = readonly Step[];

export interface Plan {
  /** Each begins when the one before is done without a failure. */
  readonly phases: readonly (readonly Task[])[];
  /** As the pods are now, before anything is done. */
  readonly status: StatefulSetStatus;
}

export interface SyncInput {
  readonly set: StatefulSet;
  /** Those that have the name of a pod of the set. */
  readonly pods: readonly Pod[];
  /** Names of the revisions. */
  readonly current: string;
  readonly update: string;
  readonly collisionCount: number;
  readonly claim: (name: string) => PersistentVolumeClaim | undefined;
  /** The gate `MaxUnavailableStatefulSet`. */
  readonly hasMaxUnavailable: boolean;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

export const isOrdered = ({ spec }: StatefulSet): boolean => spec.podManagementPolicy !== 'Parallel';

export function planOf(input: SyncInput): Plan {
  const { set, pods } = input;
  const status = countedStatus(input);
  if (set.metadata.deletionTimestamp !== undefined) return { phases: [], status: completed(set, status) };
  const replicas = new Map<number, Pod>();
  const condemned: Pod[] = [];
  for (const pod of pods) {
    if (isInRange(set, pod)) replicas.set(ordinalOf(set, pod)!, pod);
    else condemned.push(pod);
  }
  condemned.sort((a, b) => ordinalOf(set, b)! - ordinalOf(set, a)!);
  const phases = [
    () => replicaTasks(input, replicas),
    () => condemned.map((pod) => ownTask(input, pod)),
    () => condemnedTasks(input, replicas, condemned),
  ];
  const planned: (readonly Task[])[] = [];
  for (const phase of phases) {
    const tasks = phase();
    planned.push(tasks.filter((task): task is Task => task !== wait && task.length > 0));
    if (tasks.at(-1) === wait) return { phases: planned, status: completed(set, status) };
  }
  const outdated = outdatedPods(input, replicas);
  planned.push(outdated.map((pod) => [{ do: 'delete', pod }]));
  const currentReplicas = Math.max(0, status.currentReplicas! - outdated.length);
  return { phases: planned, status: completed(set, { ...status, currentReplicas }) };
}

/** The last one of an ordered set's tasks: what follows waits for a later look. */
const wait = Symbol('wait');
type Tasks = (Task | typeof wait)[];
/** By ordinal. */
type Replicas = ReadonlyMap<number, Pod>;

/** Pods that a parallel set makes before it looks again. */
const burst = 500;

function replicaTasks(input: SyncInput, replicas: Replicas): Tasks {
  const { set } = input;
  const tasks: Tasks = [];
  const first = startOrdinal(set);
  let missing = 0;
  for (let ordinal = first; ordinal < first + replicasOf(set); ordinal++) {
    const pod = replicas.get(ordinal);
    const { task, isDone } = replicaTask(input, ordinal, pod);
    tasks.push(task);
    if (pod === undefined) missing++;
    if ((isOrdered(set) && !isDone) || missing === burst) return [...tasks, wait];
  }
  return tasks;
}

/** Pods of a later ordinal of an ordered set wait until `isDone`. */
function replicaTask(
  input: SyncInput,
  ordinal: number,
  pod: Pod | undefined,
): { readonly task: Task; readonly isDone: boolean } {
  const { set, nowMs } = input;
  if (pod === undefined) return { task: createTask(input, ordinal), isDone: false };
  if (isPodTerminal(pod)) return { task: isPodTerminating(pod) ? [] : [{ do: 'delete', pod }], isDone: false };
  const isWaitingForClaims = pod.status.phase === 'Pending' && !hasClaims(input, pod);
  const task: Step[] = isWaitingForClaims ? [{ do: 'createClaims', pod }] : [];
  const isDone = !isPodTerminating(pod) && isRunningAndAvailable(pod, set, nowMs);
  if (isOrdered(set) && !isDone) return { task, isDone };
  const isOwned = isWaitingForClaims || hasOwners(input, pod);
  if (!isOwned || repairedPod(set, pod) !== undefined) task.push({ do: 'update', pod });
  return { task, isDone };
}

function createTask({ set, claim }: SyncInput, ordinal: number): Task {
  for (const name of claimsOf(set, ordinal).values()) {
    const existing = claim(name);
    if (existing !== undefined && isStaleFor(set, podNameOf(set, ordinal), existing)) return [];
  }
  return [{ do: 'create', ordinal, isCurrent: isOfCurrentRevision(set, ordinal) }];
}

function isOfCurrentRevision(set: StatefulSet, ordinal: number): boolean {
  const { type, rollingUpdate } = set.spec.updateStrategy;
  const kept = rollingUpdate?.partition ?? set.status.currentReplicas ?? 0;
  return type === 'RollingUpdate' && ordinal < startOrdinal(set) + kept;
}

function hasClaims(input: SyncInput, pod: Pod): boolean {
  const { set, claim } = input;
  return [...claimsOf(set, ordinalOf(set, pod)!).values()].every((name) => {
    const existing = claim(name);
    return existing !== undefined && existing.metadata.deletionTimestamp === undefined && isOwned(input, pod, existing);
  });
}

/** Claims that are missing are no matter here. */
function hasOwners(input: SyncInput, pod: Pod): boolean {
  const { set, claim } = input;
  return [...claimsOf(set, ordinalOf(set, pod)!).values()].every((name) => {
    const existing = claim(name);
    return existing === undefined || isOwned(input, pod, existing);
  });
}

const isOwned = ({ set }: SyncInput, pod: Pod, claim: PersistentVolumeClaim): boolean =>
  wantedOwners(set, pod, claim) === undefined;

const ownTask = (input: SyncInput, pod: Pod): Task => (hasOwners(input, pod) ? [] : [{ do: 'ownClaims', pod }]);

/** An ordered set deletes one pod at a time, and only the first pod of all may be unavailable then. */
function condemnedTasks({ set, nowMs }: SyncInput, replicas: Replicas, condemned: readonly Pod[]): Tasks {
  if (!isOrdered(set)) return condemned.filter((pod) => !isPodTerminating(pod)).map((pod) => [{ do: 'delete', pod }]);
  const [pod] = condemned;
  if (pod === undefined) return [];
  if (isPodTerminating(pod)) return [wait];
  const all = [...inOrder(set, replicas), ...condemned.toReversed()];
  const firstUnavailable = all.find((each) => isUnavailable(each, set, nowMs));
  if (!isRunningAndAvailable(pod, set, nowMs) && pod !== firstUnavailable) return [wait];
  return [[{ do: 'delete', pod }], wait];
}

const inOrder = (set: StatefulSet, replicas: Replicas): Pod[] =>
  [...replicas.values()].toSorted((a, b) => ordinalOf(set, a)! - ordinalOf(set, b)!);

/** Those that a rolling update deletes now, the last ordinal first. It begins when all replicas exist. */
function outdatedPods(input: SyncInput, known: Replicas): readonly Pod[] {
  const { set, update, nowMs, hasMaxUnavailable } = input;
  const { type, rollingUpdate } = set.spec.updateStrategy;
  if (type === 'OnDelete' || known.size < replicasOf(set)) return [];
  const replicas = inOrder(set, known);
  const updatable = replicas.slice(rollingUpdate?.partition ?? 0).toReversed();
  const isOutdated = (pod: Pod): boolean => revisionOf(pod) !== update && !isPodTerminating(pod) && !isPodTerminal(pod);
  if (hasMaxUnavailable) {
    const unavailable = replicas.filter((pod) => isUnavailable(pod, set, nowMs)).length;
    return updatable.filter(isOutdated).slice(0, Math.max(0, maxUnavailableOf(set) - unavailable));
  }
  const first = updatable.find((pod) => isOutdated(pod) || isUnavailable(pod, set, nowMs));
  return first !== undefined && isOutdated(first) ? [first] : [];
}

function maxUnavailableOf(set: StatefulSet): number {
  const { maxUnavailable = 1 } = set.spec.updateStrategy.rollingUpdate ?? {};
  return Math.max(1, scaledAmount(maxUnavailable, replicasOf(set), 'down'));
}
