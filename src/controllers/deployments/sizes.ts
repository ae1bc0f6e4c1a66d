/** Which size each ReplicaSet of a Deployment should have next. */
import type { Deployment, ReplicaSet } from '../../api/gen/types/apps-v1.ts';
import { availableOf, isRolling, maxSurgeOf, maxUnavailableOf, sizeOf, total, wantedOf } from './limits.ts';
import { byAge, byRevision, desiredAnnotation, maxAnnotation, sizeAnnotation } from './revisions.ts';

export interface Resize {
  readonly set: ReplicaSet;
  readonly size: number;
}

/** What a rollout may give the new ReplicaSet. @param all with the new one, if it exists */
export function newSetSize(
  deployment: Deployment,
  all: readonly ReplicaSet[],
  current: ReplicaSet | undefined,
): number {
  const wanted = wantedOf(deployment);
  const size = current === undefined ? 0 : sizeOf(current);
  if (!isRolling(deployment)) return wanted;
  const free = wanted + maxSurgeOf(deployment) - total(all, sizeOf);
  return free <= 0 ? size : size + Math.min(free, wanted - size);
}

/** The old ReplicaSets that a rolling update makes smaller now: first pods that are not available, then others. */
export function oldSetSizes(deployment: Deployment, old: readonly ReplicaSet[], current: ReplicaSet): Resize[] {
  const minAvailable = wantedOf(deployment) - maxUnavailableOf(deployment);
  const all = [...old, current];
  const unavailable = sizeOf(current) - availableOf(current);
  const removable = total(all, sizeOf) - minAvailable - unavailable;
  if (total(old, sizeOf) === 0 || removable <= 0) return [];
  const sizes = new Map(old.map((set) => [set, sizeOf(set)]));
  const shrink = (count: number, most: (set: ReplicaSet) => number): number => {
    let left = count;
    for (const set of old.toSorted(byAge)) {
      const by = Math.max(0, Math.min(left, most(set)));
      sizes.set(set, sizes.get(set)! - by);
      left -= by;
    }
    return count - left;
  };
  const unhealthy = shrink(removable, (set) => sizeOf(set) - availableOf(set));
  const available = total(all, availableOf);
  if (available > minAvailable)
    shrink(Math.min(available - minAvailable, removable - unhealthy), (set) => sizes.get(set)!);
  return [...sizes].filter(([set, size]) => size !== sizeOf(set)).map(([set, size]) => ({ set, size }));
}

/** The Deployment was given another size since its ReplicaSets were scaled. */
export const isScaled = (deployment: Deployment, all: readonly ReplicaSet[]): boolean =>
  all.some((set) => {
    const desired = sizeAnnotation(set, desiredAnnotation);
    return sizeOf(set) > 0 && desired !== undefined && desired !== wantedOf(deployment);
  });

/**
 * How ReplicaSets follow a Deployment that was given another size. During a rollout each gets its part of the
 * difference, so that a rollout that went wrong is not made larger.
 */
export function scaledSizes(
  deployment: Deployment,
  old: readonly ReplicaSet[],
  current: ReplicaSet | undefined,
): Resize[] {
  const wanted = wantedOf(deployment);
  const all = current === undefined ? [...old] : [...old, current];
  const only = activeOrLatest(old, current, all);
  if (only !== undefined) return [{ set: only, size: wanted }];
  if (isSaturated(deployment, current)) return old.filter((set) => sizeOf(set) > 0).map((set) => ({ set, size: 0 }));
  return isRolling(deployment) ? proportionalSizes(deployment, all) : [];
}

/** The one ReplicaSet that has pods, or the newest when none has. */
function activeOrLatest(
  old: readonly ReplicaSet[],
  current: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
): ReplicaSet | undefined {
  const active = all.filter((set) => sizeOf(set) > 0);
  if (active.length > 1) return undefined;
  return active[0] ?? current ?? old.toSorted(byRevision).at(-1);
}

/** The new ReplicaSet has all its pods: a rollout is over. */
const isSaturated = (deployment: Deployment, current: ReplicaSet | undefined): boolean =>
  current !== undefined &&
  sizeOf(current) === wantedOf(deployment) &&
  sizeAnnotation(current, desiredAnnotation) === wantedOf(deployment) &&
  availableOf(current) === wantedOf(deployment);

function proportionalSizes(deployment: Deployment, all: readonly ReplicaSet[]): Resize[] {
  const wanted = wantedOf(deployment);
  const active = all.filter((set) => sizeOf(set) > 0);
  const difference = (wanted > 0 ? wanted + maxSurgeOf(deployment) : 0) - total(active, sizeOf);
  const sign = Math.sign(difference);
  // The larger first. Of equal ones the newer grows first, and the older shrinks first.
  const order = active.toSorted((a, b) => sizeOf(b) - sizeOf(a) || sign * -byAge(a, b));
  let given = 0;
  const sizes = order.map((set) => {
    const part = partOf(deployment, set);
    const left = difference - given;
    const change = difference === 0 ? 0 : sign > 0 ? Math.min(part, left) : Math.max(part, left);
    given += change;
    return { set, size: sizeOf(set) + change };
  });
  const [first, ...rest] = sizes;
  if (first === undefined) return [];
  return [{ set: first.set, size: Math.max(0, first.size + difference - given) }, ...rest];
}

/** What the ReplicaSet grows or shrinks by so that its part of all pods stays the same. */
function partOf(deployment: Deployment, set: ReplicaSet): number {
  const wanted = wantedOf(deployment);
  if (wanted === 0) return -sizeOf(set);
  const before = sizeAnnotation(set, maxAnnotation) ?? deployment.status?.replicas ?? 0;
  if (before <= 0) return 0;
  return Math.round((sizeOf(set) * (wanted + maxSurgeOf(deployment))) / before) - sizeOf(set);
}
