/** Arguments of plugins, and their defaults. */
import type { TopologySpreadConstraint } from '../../api/gen/types/core-v1.ts';
import type { NodeAffinityArgs } from '../plugins/node-affinity.ts';
import type { BalancedAllocationArgs } from '../plugins/node-resources-balanced-allocation.ts';
import type { NodeResourcesFitArgs } from '../plugins/node-resources-fit.ts';
import type { ShapePoint } from '../plugins/shared/resource-score.ts';

export interface InterPodAffinityArgs {
  /** What the required affinity of pods that are there counts for pods that it is about. */
  readonly hardPodAffinityWeight: number;
  readonly ignorePreferredTermsOfExistingPods: boolean;
}

export interface PodTopologySpreadArgs {
  /** For pods without constraints of their own. */
  readonly defaultConstraints: readonly TopologySpreadConstraint[];
  readonly defaultingType: 'System' | 'List';
}

export interface DefaultPreemptionArgs {
  readonly minCandidateNodesPercentage: number;
  readonly minCandidateNodesAbsolute: number;
}

export interface VolumeBindingArgs {
  readonly bindTimeoutSeconds: number;
  /** Nodes are scored by it; absent without the gate VolumeCapacityPriority. */
  readonly shape?: readonly ShapePoint[];
}

export interface PluginArgs {
  readonly NodeAffinity: NodeAffinityArgs;
  readonly NodeResourcesFit: NodeResourcesFitArgs;
  readonly NodeResourcesBalancedAllocation: BalancedAllocationArgs;
  readonly InterPodAffinity: InterPodAffinityArgs;
  readonly PodTopologySpread: PodTopologySpreadArgs;
  readonly DefaultPreemption: DefaultPreemptionArgs;
  readonly VolumeBinding: VolumeBindingArgs;
}

/** The feature gate of scores by the capacity of volumes. */
export const capacityPriority = 'VolumeCapacityPriority';

/** Full volumes are best. */
export const capacityShape: readonly ShapePoint[] = [
  { utilization: 0, score: 0 },
  { utilization: 100, score: 10 },
];

const cpuAndMemory = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
];

export const defaultPluginArgs: PluginArgs = {
  NodeAffinity: {},
  NodeResourcesFit: {
    ignoredResources: [],
    ignoredResourceGroups: [],
    scoringStrategy: { type: 'LeastAllocated', resources: cpuAndMemory },
  },
  NodeResourcesBalancedAllocation: { resources: cpuAndMemory },
  InterPodAffinity: { hardPodAffinityWeight: 1, ignorePreferredTermsOfExistingPods: false },
  PodTopologySpread: { defaultConstraints: [], defaultingType: 'System' },
  DefaultPreemption: { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 },
  VolumeBinding: { bindTimeoutSeconds: 600 },
};
