/**
 * Which pods end so that a critical pod fits: of the least class of service first, and as few as possible.
 * @see {@link https://kubernetes.io/docs/tasks/administer-cluster/guaranteed-scheduling-critical-addon-pods/ |
 *   Guaranteed scheduling for critical add-on pods}
 */
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { qosClassOf } from '../../../api/core/pods/qos.ts';
import { type MissingResource, requestsOf } from './resources.ts';

type Needs = ReadonlyMap<string, bigint>;

/** Undefined when the pod would not fit even then. */
export function podsToPreempt(
  candidates: readonly Pod[],
  missing: readonly MissingResource[],
): readonly Pod[] | undefined {
  const needs: Needs = new Map(
    missing.map(({ name, requested, used, capacity }) => [name, requested + used - capacity]),
  );
  const ofClass = (wanted: string): readonly Pod[] =>
    candidates.filter(({ spec }) => qosClassOf(spec, false) === wanted);
  const [least, middle, best] = [ofClass('BestEffort'), ofClass('Burstable'), ofClass('Guaranteed')];
  if (without(needs, candidates).size > 0) return undefined;
  const ofBest = chosen(best, without(needs, [...least, ...middle]));
  const ofMiddle = chosen(middle, without(needs, [...least, ...ofBest]));
  const ofLeast = chosen(least, without(needs, [...ofMiddle, ...ofBest]));
  return [...ofLeast, ...ofMiddle, ...ofBest];
}

/** What is still needed when these pods are gone. */
function without(needs: Needs, pods: readonly Pod[]): Needs {
  const left = new Map(needs);
  for (const pod of pods)
    for (const [name, value] of requestsOf(pod)) {
      const need = left.get(name);
      if (need !== undefined) left.set(name, need - value);
    }
  return new Map([...left].filter(([, need]) => need > 0n));
}

/** Each time the pod that comes nearest to what is needed; of equal ones the smaller. */
function chosen(pods: readonly Pod[], needs: Needs): readonly Pod[] {
  const left = new Set(pods);
  const taken: Pod[] = [];
  for (let open = needs; open.size > 0 && left.size > 0; open = without(needs, taken)) {
    const [nearest] = [...left].sort((a, b) => distance(a, open) - distance(b, open) || smaller(a, b));
    left.delete(nearest!);
    taken.push(nearest!);
  }
  return taken;
}

/** 0 for a pod that frees everything that is needed. */
function distance(pod: Pod, needs: Needs): number {
  const requests = requestsOf(pod);
  let sum = 0;
  for (const [name, need] of needs) {
    const rest = need - (requests.get(name) ?? 0n);
    if (rest > 0n) sum += (Number(rest) / Number(need)) ** 2;
  }
  return sum;
}

function smaller(a: Pod, b: Pod): number {
  const [left, right] = [requestsOf(a), requestsOf(b)];
  for (const name of ['memory', 'cpu']) {
    const difference = (left.get(name) ?? 0n) - (right.get(name) ?? 0n);
    if (difference !== 0n) return difference < 0n ? -1 : 1;
  }
  return 0;
}
