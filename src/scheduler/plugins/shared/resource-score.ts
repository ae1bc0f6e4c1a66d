/** How well a pod fits on a node by what is left of its resources: three strategies over weighted resources. */
import { maxNodeScore } from '../../framework/plugin.ts';
import type { NodeInfo } from '../../state/node-info.ts';
import type { PodInfo } from '../../state/pod-info.ts';

export interface WeightedResource {
  readonly name: string;
  readonly weight: number;
}

export interface ShapePoint {
  /** Percent of the resource. */
  readonly utilization: number;
  /** 0 to 10. */
  readonly score: number;
}

export interface ScoringStrategy {
  readonly type: 'LeastAllocated' | 'MostAllocated' | 'RequestedToCapacityRatio';
  readonly resources: readonly WeightedResource[];
  /** Of RequestedToCapacityRatio. */
  readonly shape?: readonly ShapePoint[];
}

type ScoreOfResource = (requested: number, capacity: number) => number;
export type ResourceScore = (pod: PodInfo, node: NodeInfo) => number;

const leastAllocated: ScoreOfResource = (requested, capacity) =>
  requested > capacity ? 0 : Math.floor(((capacity - requested) * maxNodeScore) / capacity);

const mostAllocated: ScoreOfResource = (requested, capacity) =>
  Math.floor((Math.min(requested, capacity) * maxNodeScore) / capacity);

export function createResourceScore({ type, resources, shape = [] }: ScoringStrategy): ResourceScore {
  switch (type) {
    case 'LeastAllocated':
      return weightedScore(resources, leastAllocated, Math.floor);
    case 'MostAllocated':
      return weightedScore(resources, mostAllocated, Math.floor);
    case 'RequestedToCapacityRatio':
      return weightedScore(resources, ratioScore(shape), Math.round);
  }
}

function weightedScore(
  resources: readonly WeightedResource[],
  scoreOf: ScoreOfResource,
  round: (value: number) => number,
): ResourceScore {
  return (pod, node) => {
    let sum = 0;
    let weights = 0;
    // By index: this runs for each node of each pod.
    for (let i = 0; i < resources.length; i++) {
      const { name, weight } = resources[i]!;
      const capacity = node.allocatable.get(name);
      if (capacity === 0) continue;
      const requested = scoredRequest(name, pod, node);
      if (requested === undefined) continue;
      sum += scoreOf(requested, capacity) * weight;
      weights += weight;
    }
    return weights === 0 ? 0 : round(sum / weights);
  };
}

/** With the pod. Undefined for an extended resource that the pod does not ask for. */
function scoredRequest(name: string, pod: PodInfo, node: NodeInfo): number | undefined {
  if (name === 'cpu') return node.scoredMilliCpu + pod.scoredMilliCpu;
  if (name === 'memory') return node.scoredMemory + pod.scoredMemory;
  const own = pod.requests.get(name);
  if (own === 0 && name !== 'ephemeral-storage') return undefined;
  return node.requested.get(name) + own;
}

const maxUtilization = 100;
const maxShapeScore = 10;

/** Linear between the points of the shape. */
export function ratioScore(shape: readonly ShapePoint[]): ScoreOfResource {
  const points = shape.map(({ utilization, score }) => ({
    at: utilization,
    score: score * (maxNodeScore / maxShapeScore),
  }));
  return (requested, capacity) => {
    const at = requested > capacity ? maxUtilization : Math.floor((requested * maxUtilization) / capacity);
    const next = points.findIndex((point) => at <= point.at);
    if (next === 0) return points[0]!.score;
    if (next < 0) return points.at(-1)?.score ?? 0;
    const [from, to] = [points[next - 1]!, points[next]!];
    return from.score + Math.trunc(((to.score - from.score) * (at - from.at)) / (to.at - from.at));
  };
}
