/** What the probes of containers say, as the worker of a pod sees it. */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { PodContainer } from '../pod-lifecycle/containers.ts';

/** Why a container is to be stopped. */
export type FailedProbe = 'liveness' | 'startup';

export interface Probes {
  /** Begins the probes of a container that runs; those that run already go on. */
  startOf(pod: Pod, container: PodContainer, containerId: string, podIPs: readonly string[], startedAtMs: number): void;
  /** Liveness and startup end; readiness goes on until the container is gone. */
  stopOf(containerId: string): void;
  /** Ends the probes of all containers of the pod but these. */
  keepOnly(uid: string, containerIds: ReadonlySet<string>): void;
  isStarted(containerId: string, container: PodContainer): boolean;
  isReady(containerId: string, container: PodContainer): boolean;
  failureOf(containerId: string): FailedProbe | undefined;
  stop(): void;
}
