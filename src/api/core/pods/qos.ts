/**
 * How a pod is treated when its node runs out of something.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/ | Pod quality of service classes}
 */
import type { PodQOSClass, PodSpec, ResourceRequirements } from '../../gen/types/core-v1.ts';
import type { Quantity } from '../../../machinery/quantity.ts';
import { quantityOf } from '../resources/quantities.ts';

const computeResources = ['cpu', 'memory'] as const;
type Sums = { -readonly [Name in (typeof computeResources)[number]]?: Quantity };

/** `Guaranteed` when every container has limits and asks for as much, `BestEffort` when none asks for anything. */
export function qosClassOf(
  { containers = [], initContainers = [], resources }: PodSpec,
  podLevelResources: boolean,
): PodQOSClass {
  const all =
    podLevelResources && resources !== undefined
      ? [resources]
      : [...containers, ...initContainers].map((container) => container.resources);
  const requests: Sums = {};
  const limits: Sums = {};
  let allLimited = true;
  for (const requirements of all) {
    addAmounts(requests, requirements.requests);
    if (addAmounts(limits, requirements.limits) < computeResources.length) allLimited = false;
  }
  if (isNone(requests) && isNone(limits)) return 'BestEffort';
  return allLimited && isSame(requests, limits) ? 'Guaranteed' : 'Burstable';
}

/** Returns how many of the compute resources there are. Nothing asked for is as good as no entry. */
function addAmounts(sums: Sums, amounts: ResourceRequirements['limits']): number {
  let count = 0;
  for (const name of computeResources) {
    const text = amounts?.[name];
    if (text === undefined) continue;
    const amount = quantityOf(text);
    if (amount.sign() <= 0) continue;
    sums[name] = sums[name]?.add(amount) ?? amount;
    count++;
  }
  return count;
}

const isNone = (sums: Sums): boolean => computeResources.every((name) => sums[name] === undefined);

const isSame = (a: Sums, b: Sums): boolean =>
  computeResources.every((name) =>
    a[name] === undefined || b[name] === undefined ? a[name] === b[name] : a[name].compare(b[name]) === 0,
  );
