/** Prefers nodes whose resources are used to the same degree with the pod on them. */
import { type Has, maxNodeScore, type ScorePlugin } from '../framework/plugin.ts';
import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import type { WeightedResource } from './shared/resource-score.ts';

export interface BalancedAllocationArgs {
  readonly resources: readonly WeightedResource[];
}

export function createBalancedAllocation({ resources }: BalancedAllocationArgs): Has<ScorePlugin> {
  const names = resources.map(({ name }) => name);
  return {
    name: 'NodeResourcesBalancedAllocation',
    score: (_, pod, node) => balance(names, pod, node),
  };
}

/** 100 less the standard deviation of the used parts. */
export function balance(names: readonly string[], { requests }: PodInfo, { allocatable, requested }: NodeInfo): number {
  let sum = 0;
  let squares = 0;
  let count = 0;
  let difference = 0;
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!;
    const capacity = allocatable.get(name);
    if (capacity === 0) continue;
    const own = requests.get(name);
    if (own === 0 && isExtended(name)) continue;
    const part = Math.min(1, (requested.get(name) + own) / capacity);
    sum += part;
    squares += part * part;
    difference = part - difference;
    count++;
  }
  return Math.trunc((1 - deviationOf(count, sum, squares, difference)) * maxNodeScore);
}

/** Of two parts it is half of their difference, which has no rounding error. */
function deviationOf(count: number, sum: number, squares: number, difference: number): number {
  if (count < 2) return 0;
  if (count === 2) return Math.abs(difference) / 2;
  const mean = sum / count;
  return Math.sqrt(Math.max(0, squares / count - mean * mean));
}

const isExtended = (name: string): boolean => name !== 'cpu' && name !== 'memory' && name !== 'ephemeral-storage';
