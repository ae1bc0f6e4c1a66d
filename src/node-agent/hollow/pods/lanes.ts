/** The stages about containers: which is due, and what the runtime does when it is. */
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { asJson } from '../../../machinery/object-meta.ts';
import { ephemeralContainersOf, initContainersOf, mainContainersOf } from '../../pod-lifecycle/containers.ts';
import type { ContainerChange } from '../stages/document.ts';
import { type DueStage, type Lane, nextStage, rolesOf } from '../stages/lifecycle.ts';
import type { HollowPod } from './hollow-pod.ts';
import type { PodContext } from './pod-context.ts';
import { soonest } from './soonest.ts';

/** A container that the runtime kills at the end of its grace. */
const killed: ContainerChange = { state: 'Stopped', exitCode: 137 };

/** @returns milliseconds until the next one is due */
export function advanceLanes(pod: Pod, hollow: HollowPod, context: PodContext): number | undefined {
  let leastMs = killLate(hollow, context);
  for (const lane of context.stages.lanes) {
    if (lane.change === undefined) continue;
    const inMs = advanceLane(pod, hollow, lane, context);
    leastMs = soonest(leastMs, inMs);
  }
  return leastMs;
}

function advanceLane(pod: Pod, hollow: HollowPod, lane: Lane, context: PodContext): number | undefined {
  const stage =
    affected(pod, hollow, lane.change!, context).length > 0 ? dueStage(pod, hollow, lane, context) : undefined;
  if (stage === undefined) {
    hollow.due?.delete(lane.name);
    return undefined;
  }
  const inMs = stage.atMs - context.nowMs();
  if (inMs > 0) return inMs;
  hollow.due!.delete(lane.name);
  for (const step of stage.stage.steps) {
    if (step.kind !== 'containers') continue;
    for (const name of affected(pod, hollow, step.change, context)) change(hollow, name, step.change, context);
  }
  return undefined;
}

/** The stage that is due stays so while it matches: the delay is not begun again by each change of the pod. */
export function dueStage(
  pod: Pod,
  hollow: HollowPod,
  lane: Lane,
  { nowMs, random }: Pick<PodContext, 'nowMs' | 'random'>,
): DueStage | undefined {
  const object = asJson(pod);
  const due = hollow.due?.get(lane.name);
  if (due?.stage.matches(object) === true) return due;
  const stage = nextStage(lane, object, random);
  if (stage === undefined) return undefined;
  const now = nowMs();
  const found = { stage, atMs: now + stage.delayMs(object, { nowMs: now, random }) };
  hollow.due ??= new Map();
  hollow.due.set(lane.name, found);
  return found;
}

/** Names of the containers that a change would do something to. */
function affected(
  { spec }: Pod,
  { uid }: HollowPod,
  change: Pick<ContainerChange, 'state' | 'roles' | 'names'>,
  { runtime }: PodContext,
): string[] {
  const able =
    change.state === 'Running'
      ? runtime.created(uid)
      : change.state === 'Terminated'
        ? runtime.running(uid)
        : [...(runtime.stopping(uid)?.keys() ?? [])];
  if (able.length === 0) return able;
  const roles = rolesOf(change);
  const all = [...mainContainersOf(spec), ...initContainersOf(spec), ...ephemeralContainersOf(spec)];
  const isMeant = new Set(all.flatMap(({ name, role }) => (roles.includes(role) ? [name] : [])));
  return able.filter((name) => isMeant.has(name) && change.names?.includes(name) !== false);
}

function change(
  { uid }: HollowPod,
  name: string,
  { state, exitCode = 0, reason, message }: ContainerChange,
  { runtime }: PodContext,
): void {
  if (state === 'Running') return runtime.run(uid, name);
  runtime.exit(uid, name, {
    exitCode,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  });
}

function killLate(hollow: HollowPod, context: PodContext): number | undefined {
  let leastMs: number | undefined;
  for (const [name, atMs] of [...(context.runtime.stopping(hollow.uid) ?? [])]) {
    const inMs = atMs - context.nowMs();
    if (inMs <= 0) change(hollow, name, killed, context);
    else leastMs = soonest(leastMs, inMs);
  }
  return leastMs;
}
