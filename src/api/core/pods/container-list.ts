import type { Container, EphemeralContainer, PodSpec } from '../../gen/types/core-v1.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';

export type AnyContainer = Container | EphemeralContainer;

/** The three lists in the order in which all containers of a pod are walked. */
export const containerLists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** Calls `visit` for every container. */
export function visitContainers(spec: PodSpec, visit: (container: AnyContainer) => void): void {
  for (const list of containerLists) {
    const containers = spec[list];
    if (containers !== undefined) for (const container of containers) visit(container);
  }
}

/** `path` is that of the spec. */
export function visitContainersWithPath(
  spec: PodSpec,
  path: FieldPath,
  visit: (container: AnyContainer, path: FieldPath) => void,
): void {
  for (const [container, at] of containersWithPath(spec, path)) visit(container, at);
}

/** Every container and where it is; `path` is that of the spec. */
export function* containersWithPath(spec: PodSpec, path: FieldPath): Generator<[AnyContainer, FieldPath]> {
  for (const list of containerLists) {
    const containers = spec[list];
    if (containers !== undefined)
      for (const [i, container] of containers.entries()) yield [container, path.child(list).index(i)];
  }
}

export function someContainer(spec: PodSpec, test: (container: AnyContainer) => boolean): boolean {
  for (const list of containerLists) if (spec[list]?.some(test) === true) return true;
  return false;
}

/** An init container that keeps running beside the others. @see {@link https://kep.k8s.io/753 | KEP-753} */
export const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always';
