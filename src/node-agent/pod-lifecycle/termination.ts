/**
 * The order in which the containers of a pod stop: the main and the ephemeral ones together, then the sidecars from the
 * last to the first. One period of grace is for all of it.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination | Termination of Pods}
 */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { ephemeralContainersOf, initContainersOf, mainContainersOf, type PodContainer } from './containers.ts';
import { instanceOf, type PodState } from './state.ts';

/** What is told to stop now; the next ones when these are gone. Empty when nothing runs. */
export function nextToStop({ spec }: Pick<Pod, 'spec'>, state: PodState): readonly PodContainer[] {
  const isAlive = ({ name }: PodContainer): boolean => {
    const instance = instanceOf(state, name);
    return instance !== undefined && instance.state !== 'exited';
  };
  const init = initContainersOf(spec);
  const first = [
    ...mainContainersOf(spec),
    ...ephemeralContainersOf(spec),
    ...init.filter(({ role }) => role === 'init'),
  ].filter(isAlive);
  if (first.length > 0) return first;
  const last = init.findLast(isAlive);
  return last === undefined ? [] : [last];
}

/** The least that a runtime gets to stop a container, however short the period of grace is. */
const leastGraceSeconds = 2;

/** Seconds from the deletion to the kill. A deletion says how many; else the pod does. */
export function graceSecondsOf({ metadata, spec }: Pick<Pod, 'metadata' | 'spec'>): number {
  const seconds = metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30;
  return Math.max(Number(seconds), leastGraceSeconds);
}
