/**
 * When the change happened that a write of endpoints follows from: the earliest change of the service or of its pods
 * since the last write. Metrics of network programming latency are made of it.
 * @see {@link https://github.com/kubernetes/community/blob/master/sig-scalability/slos/network_programming_latency.md |
 *   Network programming latency}
 */
import type { Pod, Service } from '../../api/gen/types/core-v1.ts';
import { podCondition } from './pod-conditions.ts';

export const triggerTimeAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time';

interface Known {
  readonly service: string | undefined;
  readonly pods: ReadonlyMap<string, string>;
}

export class TriggerTimes {
  readonly #known = new Map<string, Known>();

  /** Undefined when nothing with a time has changed. */
  next(key: string, { metadata }: Service, pods: readonly Pod[]): string | undefined {
    const before = this.#known.get(key);
    const now = new Map(pods.map((pod) => [pod.metadata.name!, triggerOf(pod)]));
    this.#known.set(key, { service: metadata.creationTimestamp, pods: now });
    let earliest: string | undefined;
    const consider = (time: string | undefined): void => {
      if (time !== undefined && time !== '' && (earliest === undefined || time < earliest)) earliest = time;
    };
    for (const [name, time] of now) if (before?.pods.get(name) !== time) consider(time);
    if (before?.service !== metadata.creationTimestamp) consider(metadata.creationTimestamp);
    return earliest;
  }

  forget(key: string): void {
    this.#known.delete(key);
  }
}

/** When the pod became ready, or not ready. */
const triggerOf = (pod: Pod): string =>
  podCondition(pod, 'Ready')?.lastTransitionTime ?? pod.metadata.creationTimestamp ?? '';
