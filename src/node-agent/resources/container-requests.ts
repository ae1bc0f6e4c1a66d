/** What containers of a pod ask for, where each amount is for one container alone. */
import type { Container, Pod } from '../../api/gen/types/core-v1.ts';
import { isSidecar } from '../pod-lifecycle/containers.ts';

/** In the order in which they get what they ask for. */
export const containersInOrder = ({ spec }: Pick<Pod, 'spec'>): readonly Container[] => [
  ...(spec.initContainers ?? []),
  ...(spec.containers ?? []),
];

export type ResourceRole = 'init' | 'sidecar' | 'main';

/** An init container leaves what it had to those after it; a sidecar keeps it. */
export function roleOf({ spec }: Pick<Pod, 'spec'>, { name }: Pick<Container, 'name'>): ResourceRole {
  const init = spec.initContainers?.find((container) => container.name === name);
  if (init === undefined) return 'main';
  return isSidecar(init) ? 'sidecar' : 'init';
}

/** At one time, over the life of a pod. */
export function peakOf(pod: Pick<Pod, 'spec'>, amountOf: (container: Container) => number): number {
  let [init, sidecars, main] = [0, 0, 0];
  for (const container of pod.spec.initContainers ?? []) {
    const amount = amountOf(container);
    if (isSidecar(container)) sidecars += amount;
    else init = Math.max(init, sidecars + amount);
  }
  for (const container of pod.spec.containers ?? []) main += amountOf(container);
  return Math.max(init, sidecars + main);
}
