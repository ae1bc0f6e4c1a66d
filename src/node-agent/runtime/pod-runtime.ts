/**
 * The port between the life cycle of pods and what runs their containers.
 *
 * Each method begins something and returns; what comes of it shows in `stateOf`. Beginning again what was begun or is
 * done changes nothing, so that the life cycle is asked again whenever something may have changed.
 */
import type { PodContainer } from '../pod-lifecycle/containers.ts';
import type { PodLike, PodState } from '../pod-lifecycle/state.ts';

export interface PodRuntime {
  /** The state of a pod of which nothing was begun is `noPod`. */
  stateOf(uid: string): PodState;
  makeSandbox(pod: PodLike): void;
  /** A new instance of the container; the one before must have ended. */
  start(pod: PodLike, container: PodContainer): void;
  /** Asks the container to end, and ends it after the period of grace. */
  stop(pod: PodLike, container: PodContainer, graceSeconds: number): void;
  stopSandbox(pod: PodLike): void;
  /** The pod is gone: nothing of it stays. */
  remove(uid: string): void;
}

export const noPod: PodState = { sandbox: 'none', podIPs: [], containers: new Map() };
