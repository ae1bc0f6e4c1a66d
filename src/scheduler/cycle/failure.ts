/** What becomes of a pod that was not scheduled: back into the queue, a condition that says why, and an event. */
import type { Pod, PodCondition } from '../../api/gen/types/core-v1.ts';
import type { Logger } from '../../base/logger.ts';
import { isNotFound } from '../../client/api-error.ts';
import type { Client } from '../../client/client.ts';
import { formatTime } from '../../machinery/time.ts';
import type { QueuedPod } from '../queue/queued-pod.ts';
import type { SchedulingQueue } from '../queue/scheduling-queue.ts';
import { PodInfo } from '../state/pod-info.ts';
import type { PodEvents } from './pod-events.ts';

export interface SchedulingFailure {
  readonly reason: 'Unschedulable' | 'SchedulerError';
  readonly message: string;
  readonly unschedulablePlugins: ReadonlySet<string>;
  readonly pendingPlugins: ReadonlySet<string>;
  /** The node that the pod is to have: empty clears it, absent leaves it. */
  readonly nominatedNodeName?: string | undefined;
}

export interface FailureHandlerOptions {
  readonly client: Pick<Client, 'core'>;
  readonly queue: SchedulingQueue;
  readonly events: PodEvents;
  /** The pod as the API server has it. */
  readonly currentPod: (namespace: string, name: string) => Pod | undefined;
  readonly wallTime: () => number;
  readonly log: Logger;
}

export class FailureHandler {
  readonly #options: FailureHandlerOptions;

  constructor(options: FailureHandlerOptions) {
    this.#options = options;
  }

  async handle(queued: QueuedPod, failure: SchedulingFailure, signal: AbortSignal): Promise<void> {
    const { queue, events } = this.#options;
    const { pod } = queued.info;
    if (!this.#putBack(queued, failure)) return queue.done(queued.uid);
    events.failedScheduling(pod, failure.message);
    await this.#patchStatus(pod, failure, signal);
  }

  /** False for a pod that is gone, or has a node. */
  #putBack(queued: QueuedPod, failure: SchedulingFailure): boolean {
    const { queue, currentPod } = this.#options;
    const { uid, info } = queued;
    const current = currentPod(info.namespace, info.name);
    if (current === undefined || current.metadata.uid !== uid || (current.spec.nodeName ?? '') !== '') return false;
    queued.unschedulablePlugins = failure.unschedulablePlugins;
    queued.pendingPlugins = failure.pendingPlugins;
    // Changes of the pod while it was out were not taken over.
    queued.info = new PodInfo(current);
    queue.addUnschedulable(queued);
    if (failure.nominatedNodeName !== undefined) queue.nominated.set(queued.info, failure.nominatedNodeName);
    return true;
  }

  async #patchStatus(pod: Pod, failure: SchedulingFailure, signal: AbortSignal): Promise<void> {
    const patch = statusPatch(pod, failure, formatTime(Math.floor(this.#options.wallTime() / 1000)));
    if (patch === undefined) return;
    const { namespace = '', name = '' } = pod.metadata;
    const pods = this.#options.client.core.v1.pods.namespace(namespace);
    try {
      await pods.status.patch(name, { strategic: patch }, { signal });
    } catch (error) {
      if (isNotFound(error) || signal.aborted) return;
      this.#options.log.warn({ err: error, pod: `${namespace}/${name}` }, 'the status of a pod could not be written');
    }
  }
}

/** Undefined when the status says it all already. */
export function statusPatch(
  { status }: Pod,
  { reason, message, nominatedNodeName }: SchedulingFailure,
  now: string,
): object | undefined {
  const before = status.conditions?.find(({ type }) => type === 'PodScheduled');
  const isSame = before?.status === 'False' && before.reason === reason && before.message === message;
  const isNominated = nominatedNodeName === undefined || nominatedNodeName === (status.nominatedNodeName ?? '');
  if (isSame && isNominated) return undefined;
  const condition: PodCondition = {
    type: 'PodScheduled',
    status: 'False',
    reason,
    message,
    lastTransitionTime: before?.status === 'False' ? (before.lastTransitionTime ?? now) : now,
  };
  const nomination = isNominated ? {} : { nominatedNodeName: nominatedNodeName === '' ? null : nominatedNodeName };
  return { status: { ...(isSame ? {} : { conditions: [condition] }), ...nomination } };
}
