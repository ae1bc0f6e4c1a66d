/** The status of a pod, from what the runtime and its probes say, to be written. */
import type { Pod, PodCondition, PodStatus } from '../../api/gen/types/core-v1.ts';
import { timeText } from '../pod-lifecycle/container-status.ts';
import { podStatus } from '../pod-lifecycle/pod-status.ts';
import type { PodState } from '../pod-lifecycle/state.ts';
import type { Refusal } from './admission/admission-request.ts';
import { allContainersOf } from './kill-pod.ts';
import type { PodContext } from './pod-context.ts';
import type { PodMemory } from './pod-memory.ts';
import { podState } from './pod-state.ts';
import type { PodResizes } from './resize/pod-resizes.ts';
import type { RuntimePod } from './runtime-pod.ts';

export function stateOf(
  pod: Pod,
  runtimePod: RuntimePod | undefined,
  { waiting, backOff }: PodMemory,
  { probes, runtimeName }: PodContext,
): PodState {
  const specs = new Map(allContainersOf(pod).map((container) => [container.name, container]));
  const says = (ask: typeof probes.isReady) => (id: string, name: string) => {
    const spec = specs.get(name);
    return spec === undefined || ask.call(probes, id, spec);
  };
  const memory = { waiting, backOff, isStarted: says(probes.isStarted), isReady: says(probes.isReady) };
  return podState(runtimePod, memory, runtimeName);
}

export interface StatusInput {
  readonly pod: Pod;
  readonly state: PodState;
  readonly memory: PodMemory;
  readonly stage: 'alive' | 'ending' | 'ended';
}

/** Keeps the status to be written, and returns it as it is by the containers alone. */
export function publishStatus({ pod, state, memory, stage }: StatusInput, context: PodContext): PodStatus {
  const uid = pod.metadata.uid ?? '';
  const before = context.statuses.statusOf(uid) ?? pod.status;
  const input = {
    pod,
    state,
    stage,
    nowMs: context.nowMs(),
    startTimeMs: memory.startTimeMs,
    hostIPs: context.hostIPs(),
    conditions: [...memory.conditions, ...foreignConditions(pod, memory), ...evictionConditions(memory)],
  };
  const byContainers = podStatus({ ...input, end: memory.end });
  const { reason, message = '' } = memory.eviction ?? {};
  const hasFailed = reason !== undefined && byContainers.phase !== 'Succeeded';
  const base = hasFailed ? podStatus({ ...input, end: { reason, message } }) : byContainers;
  const status = context.resizes === undefined ? base : withResize(base, pod, context.resizes);
  memory.conditions = status.conditions ?? [];
  context.observer?.published(pod, status);
  context.statuses.set(pod, heldBack(withAddresses(status, before), before, stage), stage === 'ended');
  return status;
}

/** What containers have, and what becomes of what the pod asks for. */
function withResize(status: PodStatus, pod: Pod, resizes: PodResizes): PodStatus {
  const { spec } = resizes.sized(pod);
  const resize = resizes.statusOf(pod.metadata.uid ?? '');
  const resources = new Map((spec.containers ?? []).map((container) => [container.name, container.resources ?? {}]));
  const containerStatuses = (status.containerStatuses ?? []).map((one) =>
    one.state?.running === undefined ? one : { ...one, resources: resources.get(one.name ?? '') ?? {} },
  );
  return { ...status, containerStatuses, ...(resize === undefined ? {} : { resize }) };
}

/** A sandbox that has ended has no address any more; the pod keeps those that it had. */
const withAddresses = (status: PodStatus, { podIP, podIPs }: PodStatus): PodStatus =>
  status.podIPs !== undefined || podIPs === undefined ? status : { ...status, podIP: podIP ?? '', podIPs };

const evictionConditions = ({ eviction, conditions }: PodMemory): readonly PodCondition[] =>
  eviction?.condition === undefined || conditions.some(({ type }) => type === eviction.condition!.type)
    ? []
    : [eviction.condition];

/** Tells who watches over the pod that it does not end by itself. */
export const terminationByKubelet = (message: string, nowMs: number): PodCondition => ({
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'TerminationByKubelet',
  message,
  lastTransitionTime: timeText(nowMs),
});

/** Of a pod that the node does not take. */
export const refusedStatus = ({ reason, message }: Refusal, { startTimeMs }: PodMemory): PodStatus => ({
  phase: 'Failed',
  reason,
  message: `Pod was rejected: ${message}`,
  startTime: timeText(startTimeMs),
});

/** Those of others, as the API server has them now. */
const foreignConditions = (pod: Pod, { conditions }: PodMemory) =>
  (pod.status.conditions ?? []).filter(({ type }) => !conditions.some((known) => known.type === type));

/** While anything of a pod may still run, its phase does not say that it has ended: controllers would replace it. */
export function heldBack(status: PodStatus, before: PodStatus, stage: 'alive' | 'ending' | 'ended'): PodStatus {
  const isTerminal = status.phase === 'Succeeded' || status.phase === 'Failed';
  const wasTerminal = before.phase === 'Succeeded' || before.phase === 'Failed';
  if (stage === 'ended' || !isTerminal || wasTerminal) return status;
  const { reason: _, message: __, ...rest } = status;
  return {
    ...rest,
    phase: before.phase ?? 'Pending',
    ...(before.reason === undefined ? {} : { reason: before.reason }),
    ...(before.message === undefined ? {} : { message: before.message }),
  };
}
