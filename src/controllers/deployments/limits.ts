/** How many pods a Deployment may have more, or fewer, than it wants. */
import type { Deployment, ReplicaSet } from '../../api/gen/types/apps-v1.ts';
import { fenceposts } from '../shared/fenceposts.ts';

export const isRolling = ({ spec }: Deployment): boolean => spec!.strategy?.type === 'RollingUpdate';

export const wantedOf = ({ spec }: Deployment): number => spec!.replicas ?? 1;

export const sizeOf = ({ spec }: ReplicaSet): number => spec?.replicas ?? 1;

export const availableOf = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0;

export const total = (sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number =>
  sets.reduce((sum, set) => sum + count(set), 0);

export const maxSurgeOf = (deployment: Deployment): number => (isRolling(deployment) ? limitsOf(deployment).surge : 0);

export function maxUnavailableOf(deployment: Deployment): number {
  const wanted = wantedOf(deployment);
  return !isRolling(deployment) || wanted === 0 ? 0 : Math.min(limitsOf(deployment).unavailable, wanted);
}

function limitsOf(deployment: Deployment): ReturnType<typeof fenceposts> {
  const { maxSurge, maxUnavailable } = deployment.spec!.strategy?.rollingUpdate ?? {};
  return fenceposts(maxSurge, maxUnavailable, wantedOf(deployment));
}
