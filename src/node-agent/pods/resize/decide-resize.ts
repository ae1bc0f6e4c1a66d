/**
 * What containers of a pod have of CPU and memory, and whether they get what the pod asks for now. Pure.
 * @see {@link https://kep.k8s.io/1287 | KEP-1287: in-place update of pod resources}
 */
import type { Container, Pod, ResourceRequirements } from '../../../api/gen/types/core-v1.ts';
import { qosClassOf } from '../../../api/core/pods/qos.ts';
import { parseQuantity } from '../../../machinery/quantity.ts';

/** By name of the container. */
export type Allocation = Readonly<Record<string, ResourceRequirements>>;

/**
 * - `InProgress`: it gets them, and the runtime is not done with it.
 * - `Deferred`: other pods have them now.
 * - `Infeasible`: the node never has them.
 */
export type ResizeStatus = 'InProgress' | 'Deferred' | 'Infeasible';

export const resizable = ['cpu', 'memory'] as const;
export type Resizable = (typeof resizable)[number];

export const allocationOf = ({ spec }: Pick<Pod, 'spec'>): Allocation =>
  Object.fromEntries((spec.containers ?? []).map(({ name, resources }) => [name, resources ?? {}]));

/** The pod with what its containers have, in place of what it asks for. */
export function withAllocation(pod: Pod, allocation: Allocation): Pod {
  const containers = (pod.spec.containers ?? []).map((container): Container => {
    const resources = allocation[container.name ?? ''];
    return resources === undefined ? container : { ...container, resources };
  });
  return { ...pod, spec: { ...pod.spec, containers } };
}

/** Which of them two are different in. */
export function changedResources(before: ResourceRequirements, after: ResourceRequirements): Resizable[] {
  const amount = (text: string | undefined): string => (text === undefined ? '' : parseQuantity(text).toString());
  return resizable.filter((name) =>
    (['requests', 'limits'] as const).some((part) => amount(before[part]?.[name]) !== amount(after[part]?.[name])),
  );
}

export const isResized = (pod: Pod, allocation: Allocation): boolean =>
  (pod.spec.containers ?? []).some(({ name = '', resources }) => {
    const has = allocation[name];
    return has !== undefined && changedResources(has, resources ?? {}).length > 0;
  });

export interface ResizeQuestion {
  /** As it is wanted. */
  readonly pod: Pod;
  /** Why a node without other pods, and this node with them, does not take the pod; undefined where it does. */
  readonly refusal: (pod: Pod, isAlone: boolean) => string | undefined;
  readonly isStatic: boolean;
  /** Containers of guaranteed pods have CPUs or memory of their own, which stay what they are. */
  readonly hasExclusive: boolean;
}

export type ResizeDecision = Exclude<ResizeStatus, 'InProgress'> | 'fits';

export function decideResize({ pod, refusal, isStatic, hasExclusive }: ResizeQuestion): ResizeDecision {
  if (isStatic || (hasExclusive && qosClassOf(pod.spec, false) === 'Guaranteed')) return 'Infeasible';
  if (refusal(pod, true) !== undefined) return 'Infeasible';
  return refusal(pod, false) === undefined ? 'fits' : 'Deferred';
}

/** Whether a container starts anew to get what it has now. */
export const mustRestart = ({ resizePolicy = [] }: Container, changed: readonly Resizable[]): boolean =>
  resizePolicy.some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === 'RestartContainer' && changed.some((name) => name === resourceName),
  );
