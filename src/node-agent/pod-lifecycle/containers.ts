/** The containers of a pod by what they are for. */
import type { Container, EphemeralContainer, PodSpec } from '../../api/gen/types/core-v1.ts';

/** `init` ends before the next one starts; `sidecar` is an init container that runs for the life of the pod. */
export type ContainerRole = 'init' | 'sidecar' | 'main' | 'ephemeral';

export interface PodContainer {
  readonly name: string;
  readonly role: ContainerRole;
  readonly spec: Container | EphemeralContainer;
}

/**
 * @see {@link https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/ | Sidecar containers}
 */
export const isSidecar = ({ restartPolicy }: Pick<Container, 'restartPolicy'>): boolean => restartPolicy === 'Always';

export const initContainersOf = ({ initContainers = [] }: PodSpec): PodContainer[] =>
  initContainers.map((spec) => ({ name: spec.name ?? '', role: isSidecar(spec) ? 'sidecar' : 'init', spec }));

export const mainContainersOf = ({ containers = [] }: PodSpec): PodContainer[] =>
  containers.map((spec) => ({ name: spec.name ?? '', role: 'main', spec }));

export const ephemeralContainersOf = ({ ephemeralContainers = [] }: PodSpec): PodContainer[] =>
  ephemeralContainers.map((spec) => ({ name: spec.name ?? '', role: 'ephemeral', spec }));
