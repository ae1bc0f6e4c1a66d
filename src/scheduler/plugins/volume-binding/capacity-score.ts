/**
 * Prefers nodes by how well claims fill the volumes that they would get there, class by class (feature gate
 * VolumeCapacityPriority).
 */
import { requestOf, sizeOf } from '../../../api/core/persistent-volumes/matching.ts';
import { ratioScore, type ShapePoint } from '../shared/resource-score.ts';
import type { StaticBinding } from './find-volumes.ts';

interface ClassCapacity {
  requested: number;
  capacity: number;
}

/** A score of 0 to 100 for the bindings of a pod on a node. */
export type CapacityScore = (bindings: readonly StaticBinding[]) => number;

export function createCapacityScore(shape: readonly ShapePoint[]): CapacityScore {
  const scoreOf = ratioScore(shape);
  return (bindings) => {
    const classes = new Map<string, ClassCapacity>();
    for (const { claim, volume } of bindings) {
      const name = volume.spec.storageClassName ?? '';
      const known = classes.get(name) ?? { requested: 0, capacity: 0 };
      known.requested += requestOf(claim).toNumber();
      known.capacity += sizeOf(volume).toNumber();
      classes.set(name, known);
    }
    if (classes.size === 0) return 0;
    let sum = 0;
    // Volumes without a size count as full.
    for (const { requested, capacity } of classes.values())
      sum += capacity === 0 ? scoreOf(1, 0) : scoreOf(requested, capacity);
    return Math.round(sum / classes.size);
  };
}
