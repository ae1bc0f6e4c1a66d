/**
 * The stages of a file that write pods themselves: status, finalizers, events, deletion. While one of them is due, the
 * life cycle of the pod waits; afterwards it goes on from the status that the stage left.
 */
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { isPodTerminal } from '../../../api/core/pods/is-terminal.ts';
import type { EventRecorder } from '../../../client/events/recorder.ts';
import { applyStage, type ObjectWriter } from '../stages/apply.ts';
import type { DueStage } from '../stages/lifecycle.ts';
import type { Stage } from '../stages/stage.ts';
import type { TemplateContext } from '../stages/template/functions.ts';
import { stateFromStatus } from './adopt.ts';
import type { HollowPod } from './hollow-pod.ts';
import { dueStage } from './lanes.ts';
import type { PodContext } from './pod-context.ts';
import type { PodResource } from './pod-resource.ts';

export interface ObjectStagesOptions extends PodContext {
  readonly pods: PodResource;
  readonly events: EventRecorder;
  readonly templateContext: (pod: Pod, hollow: HollowPod) => TemplateContext;
}

/** A stage that matches again and again is slowed down. */
const repeatDelay = { freeTimes: 2, firstMs: 1000, maxMs: 30_000 };

export class ObjectStages {
  readonly #options: ObjectStagesOptions;

  constructor(options: ObjectStagesOptions) {
    this.#options = options;
  }

  /** The stage that the pod goes through next. */
  due(pod: Pod, hollow: HollowPod): DueStage | undefined {
    const { stages, nowMs } = this.#options;
    const lane = stages.object;
    if (lane.fromFile.length === 0 || hollow.idleAt === pod.metadata.resourceVersion) return undefined;
    const before = hollow.due?.get(lane.name);
    const due = dueStage(pod, hollow, lane, this.#options);
    if (due === undefined) hollow.due?.delete(lane.name);
    if (due === undefined || due === before) return due;
    const slowed = { stage: due.stage, atMs: Math.max(due.atMs, nowMs() + repeatDelayMs(due.stage, hollow)) };
    hollow.due!.set(lane.name, slowed);
    return slowed;
  }

  /** Whether the life cycle waits for the stage. The end of a pod waits for those stages only that end it. */
  isInCharge({ stage }: DueStage, { metadata }: Pod): boolean {
    const ends = stage.steps.some(({ kind }) => kind === 'delete' || kind === 'finalizers');
    return metadata.deletionTimestamp === undefined || ends;
  }

  /** The pod as it is then; undefined when it is gone. */
  async apply({ stage }: DueStage, pod: Pod, hollow: HollowPod, signal: AbortSignal): Promise<Pod | undefined> {
    const { pods, events, templateContext, stages, runtime, nowMs } = this.#options;
    hollow.due!.delete(stages.object.name);
    const times = hollow.repeated?.stage === stage.name ? hollow.repeated.times + 1 : 1;
    hollow.repeated = { stage: stage.name, times };
    const writer = podWriter(pods, signal);
    const after = await applyStage(stage, pod, { writer, events, context: templateContext(pod, hollow) });
    if (after === undefined) return undefined;
    if (after.metadata.resourceVersion === pod.metadata.resourceVersion) hollow.idleAt = after.metadata.resourceVersion;
    hollow.latest = after;
    hollow.conditions = after.status.conditions ?? [];
    hollow.hasEnded = isPodTerminal(after);
    runtime.adopt(hollow.uid, stateFromStatus(after, nowMs()));
    hollow.node.podIPs.reserve(runtime.stateOf(hollow.uid).podIPs);
    return after;
  }
}

function repeatDelayMs({ name }: Stage, { repeated }: HollowPod): number {
  const { freeTimes, firstMs, maxMs } = repeatDelay;
  if (repeated?.stage !== name || repeated.times < freeTimes) return 0;
  return Math.min(firstMs * 2 ** (repeated.times - freeTimes), maxMs);
}

const podWriter = (pods: PodResource, signal: AbortSignal): ObjectWriter<Pod> => ({
  patch: (pod, patch, subresource) => pods.patch(pod, patch, subresource, signal),
  delete: (pod) => pods.delete(pod, { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid! }, signal }),
});
