/** Which active pods of a Job go, where it has too many. */
import type { Job } from '../../api/gen/types/batch-v1.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { isPodReady, readySinceMs, timeMs } from '../shared/pod-conditions.ts';
import { indexOf, isIndexed } from './job-pods.ts';

/**
 * Pods without an index of the Job, all but one of those that share an index, and then those that have done the least.
 * @param atLeast how many are too many
 */
export function podsToRemove({ spec }: Job, active: readonly Pod[], atLeast: number): Pod[] {
  if (!isIndexed(spec)) return active.toSorted(byProgress).slice(0, atLeast);
  const { removed, left } = withoutDuplicates(active, spec.completions ?? 0);
  const more = Math.max(0, atLeast - removed.length);
  return more === 0 ? removed : [...removed, ...left.toSorted(byProgress).slice(0, more)];
}

function withoutDuplicates(active: readonly Pod[], completions: number): { removed: Pod[]; left: Pod[] } {
  const removed: Pod[] = [];
  const kept = new Map<number, Pod>();
  for (const pod of active) {
    const index = indexOf(pod, completions);
    const other = index === undefined ? undefined : kept.get(index);
    if (index === undefined) removed.push(pod);
    else if (other === undefined) kept.set(index, pod);
    else {
      const [less, more] = byProgress(pod, other) <= 0 ? [pod, other] : [other, pod];
      removed.push(less);
      kept.set(index, more);
    }
  }
  return { removed, left: [...kept.values()] };
}

/** Those that have done less come first. */
function byProgress(a: Pod, b: Pod): number {
  return (
    Number(hasNode(a)) - Number(hasNode(b)) ||
    phaseOf(a) - phaseOf(b) ||
    Number(isPodReady(a)) - Number(isPodReady(b)) ||
    (readySinceMs(b) ?? 0) - (readySinceMs(a) ?? 0) ||
    restarts(b, 'containerStatuses') - restarts(a, 'containerStatuses') ||
    restarts(b, 'initContainerStatuses') - restarts(a, 'initContainerStatuses') ||
    createdMs(b) - createdMs(a)
  );
}

const hasNode = ({ spec }: Pod): boolean => (spec?.nodeName ?? '') !== '';

const phases: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };
const phaseOf = ({ status }: Pod): number => phases[status?.phase ?? ''] ?? 1;

const restarts = ({ status }: Pod, of: 'containerStatuses' | 'initContainerStatuses'): number =>
  Math.max(0, ...(status?.[of] ?? []).map(({ restartCount }) => restartCount ?? 0));

const createdMs = ({ metadata }: Pod): number =>
  metadata.creationTimestamp === undefined ? 0 : timeMs(metadata.creationTimestamp);
