/** What containers have of the node for themselves: CPUs, memory of NUMA nodes, devices. */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { Refusal } from '../pods/admission/admission-request.ts';
import type { Device, Mount } from '../runtime/gen/cri.ts';

/** Beside what the container asks for itself. */
export interface ContainerGrant {
  /** Empty: wherever the kernel likes. */
  readonly cpusetCpus: string;
  readonly cpusetMems: string;
  readonly environment: ReadonlyMap<string, string>;
  readonly mounts: readonly Mount[];
  readonly devices: readonly Device[];
  readonly annotations: Readonly<Record<string, string>>;
  /** Names of the Container Device Interface. */
  readonly cdiDevices: readonly string[];
}

export const noGrant: ContainerGrant = {
  cpusetCpus: '',
  cpusetMems: '',
  environment: new Map(),
  mounts: [],
  devices: [],
  annotations: {},
  cdiDevices: [],
};

export interface PodAllocations {
  /** Whether the pod asks for anything of this kind. */
  isAsked(pod: Pod): boolean;
  /** Gives the containers of a pod what they ask for. Undefined when they have it. What they have already stays. */
  admit(pod: Pod): Promise<Refusal | undefined>;
  /** Before the containers of a pod start. Rejects when what it refers to cannot be made ready. */
  prepare(pod: Pod): Promise<void>;
  /** The pod has ended: what was made ready is taken back. Rejects when it is not, and is tried again. */
  unprepare(uid: string): Promise<void>;
  /** What a container that starts now is told. Rejects when a device cannot be made ready. */
  grantOf(pod: Pod, container: string): Promise<ContainerGrant>;
  /** Where a container runs, as a list of CPUs; empty: wherever the kernel likes. */
  cpusOf(uid: string, container: string): string;
  /** The pod has ended, or was refused. */
  release(uid: string): void;
  /** Pods that have something. */
  uids(): readonly string[];
}

export const noAllocations: PodAllocations = {
  isAsked: () => false,
  admit: () => Promise.resolve(undefined),
  prepare: () => Promise.resolve(),
  unprepare: () => Promise.resolve(),
  grantOf: () => Promise.resolve(noGrant),
  cpusOf: () => '',
  release: () => undefined,
  uids: () => [],
};
