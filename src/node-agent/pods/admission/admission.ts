/**
 * Whether this node takes a pod that is bound to it. The scheduler has asked most of this before, but pods can be bound
 * without it, and the node may be another one since. What is refused has failed, and is not tried again.
 *
 * Pure: the checks stand in the order in which they are made, and the first refusal counts.
 */
import type { AdmissionRequest, Refusal } from './admission-request.ts';
import { appArmorProblem } from './app-armor.ts';
import { labelProblem, osProblem, placementProblem } from './placement.ts';
import { missingResources, resourceProblem } from './resources.ts';
import { sysctlProblem } from './sysctls.ts';

/** Undefined when the node takes the pod. */
export function refusalOf(request: AdmissionRequest): Refusal | undefined {
  for (const check of checks) {
    const refusal = check(request);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** From which priority a pod is critical: it is not evicted, and others may be ended for it. */
const criticalPriority = 2_000_000_000;

export const isCritical = ({ pod, isStatic }: Pick<AdmissionRequest, 'pod' | 'isStatic'>): boolean =>
  isStatic || (pod.spec.priority ?? 0) >= criticalPriority;

const checks: readonly ((request: AdmissionRequest) => Refusal | undefined)[] = [
  pressureProblem,
  ({ pod, node }) => sysctlProblem(pod.spec, node),
  ({ pod }) => labelProblem(pod) ?? osProblem(pod),
  ({ pod, others, node }) => resourceProblem(missingResources(pod, others, node.allocatable)[0]),
  placementProblem,
  ({ pod, node }) => appArmorProblem(pod, node.hasAppArmor),
  ({ node }) =>
    node.isShuttingDown
      ? { reason: 'NodeShutdown', message: 'Pod was rejected as the node is shutting down.' }
      : undefined,
];

function pressureProblem(request: AdmissionRequest): Refusal | undefined {
  const { pod, node } = request;
  const { pressures } = node;
  if (pressures.length === 0 || isCritical(request)) return undefined;
  if (pressures.every((pressure) => pressure === 'MemoryPressure')) {
    const asksForNothing = (pod.spec.containers ?? []).every(({ resources }) => {
      const amounts = { ...resources?.requests, ...resources?.limits };
      return amounts['cpu'] === undefined && amounts['memory'] === undefined;
    });
    if (!asksForNothing) return undefined;
    const bears = (pod.spec.tolerations ?? []).some(
      ({ key, operator, effect = '' }) =>
        (key === 'node.kubernetes.io/memory-pressure' || ((key ?? '') === '' && operator === 'Exists')) &&
        (effect === '' || effect === 'NoSchedule'),
    );
    if (bears) return undefined;
  }
  return { reason: 'Evicted', message: `The node had condition: [${pressures.join(', ')}]. ` };
}
