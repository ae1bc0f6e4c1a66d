/** What becomes of a pod that the node sees for the first time: it is taken, refused, or others end for it. */
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { isStaticPod } from '../static/static-pod.ts';
import { isCritical, refusalOf } from './admission.ts';
import type { AdmissionNode, Refusal } from './admission-request.ts';
import { podsToPreempt } from './preemption.ts';
import { missingResources } from './resources.ts';

export interface Decision {
  readonly refusal?: Refusal | undefined;
  /** They have to end first. */
  readonly preempt: readonly Pod[];
}

/** @param others those of the node that have not ended */
export function decide(pod: Pod, others: readonly Pod[], node: AdmissionNode): Decision {
  const isStatic = isStaticPod(pod);
  const refusal = refusalOf({ pod, others, node, isStatic });
  if (refusal?.reason.startsWith('OutOf') !== true || !isCritical({ pod, isStatic })) return { refusal, preempt: [] };
  const candidates = others.filter((other) => isBelow(other, pod));
  const preempt = podsToPreempt(candidates, missingResources(pod, others, node.allocatable));
  if (preempt === undefined) return { refusal, preempt: [] };
  const rest = others.filter((other) => !preempt.includes(other));
  const left = refusalOf({ pod, others: rest, node, isStatic });
  return left === undefined ? { preempt } : { refusal: left, preempt: [] };
}

function isBelow(other: Pod, pod: Pod): boolean {
  if (!isCritical({ pod: other, isStatic: isStaticPod(other) })) return true;
  return (other.spec.priority ?? 0) < (pod.spec.priority ?? 0);
}
