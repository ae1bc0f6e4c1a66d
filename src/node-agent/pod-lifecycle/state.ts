/**
 * What a runtime knows of a pod: its sandbox, and of each container the newest instance and the one before.
 *
 * Times are milliseconds since 1970. All functions of this folder are pure: what is, and the time, become a status and
 * the next actions.
 */
import type { Pod } from '../../api/gen/types/core-v1.ts';

export interface PodState {
  /** `stopped`: it was there, and its containers are gone or going. */
  readonly sandbox: 'none' | 'ready' | 'stopped';
  /** Of the sandbox, one per address family. */
  readonly podIPs: readonly string[];
  /** By name; a container without an entry was never made. */
  readonly containers: ReadonlyMap<string, ContainerRecord>;
}

export interface ContainerRecord {
  readonly newest?: ContainerInstance | undefined;
  readonly previous?: ExitedContainer | undefined;
  /** Of the newest instance. */
  readonly restartCount: number;
  /** Why no instance runs, where it is not that the pod is being made. */
  readonly waiting?: WaitingReason | undefined;
  readonly backOff?: BackOff | undefined;
}

export interface WaitingReason {
  readonly reason: string;
  readonly message?: string;
}

/** The delay that the next failure leads to, and when it was set. */
export interface BackOff {
  readonly delayMs: number;
  readonly atMs: number;
}

export type ContainerInstance = CreatedContainer | RunningContainer | ExitedContainer;

interface Instance {
  /** With the name of the runtime: `containerd://0123…`. */
  readonly id: string;
  readonly image: string;
  readonly imageID: string;
}

/** Made, and about to run. */
export interface CreatedContainer extends Instance {
  readonly state: 'created';
}

export interface RunningContainer extends Instance {
  readonly state: 'running';
  readonly startedAtMs: number;
  /** The startup probe has succeeded, and the postStart hook is done. */
  readonly isStarted: boolean;
  /** As the readiness probe says; true where there is none. */
  readonly isReady: boolean;
}

export interface ExitedContainer extends Instance {
  readonly state: 'exited';
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason: string;
  readonly message?: string;
}

/** What of a pod its life depends on. */
export type PodLike = Pick<Pod, 'spec'> & { readonly metadata: Pick<Pod['metadata'], 'name' | 'namespace' | 'uid'> };

export const instanceOf = ({ containers }: PodState, name = ''): ContainerInstance | undefined =>
  containers.get(name)?.newest;
