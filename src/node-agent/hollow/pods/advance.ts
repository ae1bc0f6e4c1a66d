/**
 * One pod as far as it gets now: the life cycle asks the runtime for what is next, and stages let it happen.
 *
 * Returns when both have nothing to do until time passes or the pod changes.
 */
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { deadlineExceeded, untilDeadline } from '../../pod-lifecycle/deadline.ts';
import { nextActions } from '../../pod-lifecycle/next-actions.ts';
import { graceSecondsOf, nextToStop } from '../../pod-lifecycle/termination.ts';
import { isBeingMade } from './adopt.ts';
import type { HollowPod } from './hollow-pod.ts';
import { advanceLanes } from './lanes.ts';
import type { PodContext } from './pod-context.ts';
import { soonest } from './soonest.ts';

/** A pod that changes for longer than this at one time goes on in its next turn. */
const mostRounds = 50;

/** @returns milliseconds until the pod is to be looked at again; undefined when nothing is due */
export function advance(pod: Pod, hollow: HollowPod, context: PodContext): number | undefined {
  for (let round = 0; round < mostRounds; round++) {
    const before = context.runtime.changesOf(hollow.uid);
    const lifeMs = advanceLife(pod, hollow, context);
    const laneMs = advanceLanes(pod, hollow, context);
    if (context.runtime.changesOf(hollow.uid) === before) return soonest(lifeMs, laneMs);
    hollow.isDirty = true;
  }
  return 0;
}

function advanceLife(pod: Pod, hollow: HollowPod, context: PodContext): number | undefined {
  if (hollow.hasEnded) return undefined;
  if (pod.metadata.deletionTimestamp !== undefined) hollow.isEnding = true;
  const deadlineMs = untilDeadline(pod.spec, hollow.startTimeMs, context.nowMs());
  if (deadlineMs === 0 && !hollow.isEnding) {
    hollow.isEnding = true;
    hollow.end = deadlineExceeded;
  }
  if (hollow.isEnding) {
    stopNext(pod, hollow, context);
    return undefined;
  }
  return soonest(deadlineMs, startNext(pod, hollow, context));
}

function stopNext(pod: Pod, hollow: HollowPod, { runtime }: Pick<PodContext, 'runtime'>): void {
  const stopping = nextToStop(pod, runtime.stateOf(hollow.uid));
  for (const container of stopping) runtime.stop(pod, container, graceSecondsOf(pod));
  if (stopping.length > 0) return;
  runtime.stopSandbox(pod);
  hollow.hasEnded = true;
  hollow.isDirty = true;
}

function startNext(pod: Pod, hollow: HollowPod, { runtime, nowMs }: PodContext): number | undefined {
  const state = runtime.stateOf(hollow.uid);
  const actions = nextActions(pod, state, nowMs());
  if (actions.hasEnded) {
    hollow.isEnding = true;
    stopNext(pod, hollow, { runtime });
    return undefined;
  }
  // What a stage of a file holds with a reason of its own stays so until a stage changes that.
  const isHeld = (name: string): boolean => {
    const waiting = state.containers.get(name)?.waiting;
    return waiting !== undefined && waiting.reason !== 'CrashLoopBackOff' && !isBeingMade(waiting.reason);
  };
  const start = actions.start.filter(({ name }) => !isHeld(name));
  if (actions.needsSandbox && start.length > 0) runtime.makeSandbox(pod);
  for (const container of start) runtime.start(pod, container);
  for (const { container } of actions.waiting) runtime.waitForRestart(pod, container);
  return actions.waiting.reduce<number | undefined>((least, { inMs }) => soonest(least, inMs), undefined);
}
