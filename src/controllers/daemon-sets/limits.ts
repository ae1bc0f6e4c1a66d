/** How many nodes of a DaemonSet may be without a pod during a rolling update, or have two. */
import type { DaemonSet } from '../../api/gen/types/apps-v1.ts';
import { scaledAmount } from '../shared/fenceposts.ts';

export const isRolling = ({ spec }: DaemonSet): boolean => spec.updateStrategy.type === 'RollingUpdate';

/** @param wanted nodes that have a pod */
export function maxSurgeOf(set: DaemonSet, wanted: number): number {
  return isRolling(set) ? scaledAmount(set.spec.updateStrategy.rollingUpdate?.maxSurge, wanted, 'up') : 0;
}

/** One at least, where none may have two: else an update could not go on. */
export function maxUnavailableOf(set: DaemonSet, wanted: number): number {
  const { maxUnavailable } = set.spec.updateStrategy.rollingUpdate ?? {};
  const limit = isRolling(set) ? scaledAmount(maxUnavailable, wanted, 'up') : 0;
  return limit === 0 && wanted > 0 && maxSurgeOf(set, wanted) === 0 ? 1 : limit;
}
