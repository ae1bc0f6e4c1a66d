/**
 * The phase of a pod, from the statuses of its containers.
 *
 * A container that waits, and ended before, counts as stopped. Ephemeral containers do not count. Sidecars keep a pod
 * running, and do not decide whether it succeeded.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-phase | Pod phase}
 */
import type { ContainerStatus, PodPhase, PodSpec } from '../../api/gen/types/core-v1.ts';
import { isSidecar } from './containers.ts';
import type { ContainerStatuses } from './container-status.ts';

/** @param isEnding the pod is being deleted, or is to be stopped: what has ended will not run again */
export function phaseOf(spec: PodSpec, statuses: ContainerStatuses, isEnding: boolean): PodPhase {
  const init = countInit(spec, statuses);
  if (init.failed > 0 && spec.restartPolicy === 'Never') return 'Failed';
  const main = countMain(spec, statuses.main);
  const waiting = main.waiting + init.sidecarsWaiting;
  const running = main.running + init.sidecarsRunning;
  const unknown = main.unknown + init.sidecarsUnknown;
  const isInitializing = init.pending > 0 || (init.sidecarsPending > 0 && !hasStarted(statuses.main));
  if (isInitializing || waiting > 0) return 'Pending';
  if (unknown > 0) return 'Pending';
  if (running > 0) return 'Running';
  if (main.stopped === 0) return 'Pending';
  return phaseOfStopped(spec, main, isEnding);
}

function phaseOfStopped({ restartPolicy }: PodSpec, { stopped, succeeded }: MainCounts, isEnding: boolean): PodPhase {
  const hasSucceeded = stopped === succeeded;
  if (isEnding) return hasSucceeded ? 'Succeeded' : 'Failed';
  if (restartPolicy !== 'OnFailure' && restartPolicy !== 'Never') return 'Running';
  if (hasSucceeded) return 'Succeeded';
  return restartPolicy === 'Never' ? 'Failed' : 'Running';
}

interface MainCounts {
  unknown: number;
  running: number;
  waiting: number;
  stopped: number;
  succeeded: number;
}

function countMain({ containers = [] }: PodSpec, statuses: readonly ContainerStatus[]): MainCounts {
  const counts: MainCounts = { unknown: 0, running: 0, waiting: 0, stopped: 0, succeeded: 0 };
  for (const { name } of containers) {
    const { state, lastState } = statuses.find((status) => status.name === name) ?? {};
    if (state?.running !== undefined) counts.running++;
    else if (state?.terminated !== undefined) {
      counts.stopped++;
      if ((state.terminated.exitCode ?? 0) === 0) counts.succeeded++;
    } else if (state?.waiting === undefined) counts.unknown++;
    else if (lastState?.terminated !== undefined) counts.stopped++;
    else counts.waiting++;
  }
  return counts;
}

interface InitCounts {
  pending: number;
  failed: number;
  sidecarsPending: number;
  sidecarsWaiting: number;
  sidecarsRunning: number;
  sidecarsUnknown: number;
}

function countInit({ initContainers = [] }: PodSpec, { init }: ContainerStatuses): InitCounts {
  const counts: InitCounts = {
    pending: 0,
    failed: 0,
    sidecarsPending: 0,
    sidecarsWaiting: 0,
    sidecarsRunning: 0,
    sidecarsUnknown: 0,
  };
  for (const container of initContainers) {
    const status = init.find(({ name }) => name === container.name);
    if (isSidecar(container)) countSidecar(counts, status);
    else countOrdinary(counts, status);
  }
  return counts;
}

function countOrdinary(counts: InitCounts, status: ContainerStatus | undefined): void {
  const ended =
    status?.state.terminated ?? (status?.state.waiting === undefined ? undefined : status.lastState.terminated);
  if (ended === undefined) counts.pending++;
  else if ((ended.exitCode ?? 0) !== 0) counts.failed++;
}

function countSidecar(counts: InitCounts, status: ContainerStatus | undefined): void {
  const { state, lastState, started } = status ?? {};
  if (state?.running !== undefined) {
    counts.sidecarsRunning++;
    if (started !== true) counts.sidecarsPending++;
  } else if (state?.waiting !== undefined) {
    if (lastState?.terminated !== undefined) return;
    counts.sidecarsPending++;
    counts.sidecarsWaiting++;
  } else if (state?.terminated === undefined) counts.sidecarsUnknown++;
}

/** Whether any main container runs or has ended: the pod was initialized then. */
export const hasStarted = (main: readonly ContainerStatus[]): boolean =>
  main.some(({ state }) => state.running !== undefined || state.terminated !== undefined);
