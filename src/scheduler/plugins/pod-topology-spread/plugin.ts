/**
 * Spreads the pods of a group over zones, nodes, or whatever else labels of nodes say.
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/ | Topology spread
 *   constraints}
 */
import type { Node, Pod, TopologySpreadConstraint } from '../../../api/gen/types/core-v1.ts';
import { matchesLabels } from '../../../machinery/label-selector.ts';
import type { PodTopologySpreadArgs } from '../../config/plugin-args.ts';
import { actions } from '../../framework/cluster-event.ts';
import type {
  EnqueuePlugin,
  FilterPlugin,
  Has,
  PreFilterPlugin,
  PreScorePlugin,
  ScorePlugin,
} from '../../framework/plugin.ts';
import { failure, skip } from '../../framework/status.ts';
import type { ClusterState } from '../../state/cluster-state.ts';
import type { MatchCounts } from '../../state/match-counts.ts';
import {
  hasAllKeys,
  readConstraints,
  type SpreadConstraint,
  type UnsatisfiableAction,
  valueOf,
} from './constraints.ts';
import { defaultSelector, type WorkloadReader } from './default-selector.ts';
import { countSpread, name, type SpreadCounts } from './filter.ts';
import { invert, type SpreadScores, weighSpread } from './score.ts';

export interface SpreadParts {
  readonly cluster: ClusterState;
  readonly counts: MatchCounts;
  readonly workloads: WorkloadReader;
}

const filterKey = `PreFilter${name}`;
const scoreKey = `PreScore${name}`;
const skipped = skip(name);

/** For pods without constraints of their own, unless the configuration has a list. */
export const systemConstraints: readonly TopologySpreadConstraint[] = [
  { topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway', maxSkew: 5 },
];

type PodTopologySpread = Has<PreFilterPlugin & FilterPlugin & PreScorePlugin & ScorePlugin & EnqueuePlugin>;

export function createPodTopologySpread(args: PodTopologySpreadArgs, parts: SpreadParts): PodTopologySpread {
  const { cluster, counts, workloads } = parts;
  const isSystem = args.defaultingType === 'System';
  const defaults = isSystem ? systemConstraints : args.defaultConstraints;
  const constraintsOf = (pod: Pod, action: UnsatisfiableAction): readonly SpreadConstraint[] => {
    const { topologySpreadConstraints: own = [] } = pod.spec;
    if (own.length > 0) return readConstraints(pod, own, action);
    if (!defaults.some(({ whenUnsatisfiable }) => whenUnsatisfiable === action)) return [];
    const selector = defaultSelector(pod, workloads);
    if (selector.length === 0) return [];
    return readConstraints(pod, defaults, action).map((constraint) => ({ ...constraint, selector }));
  };
  return {
    name,
    preFilter(state, pod) {
      try {
        const constraints = constraintsOf(pod.pod, 'DoNotSchedule');
        if (constraints.length === 0) return { status: skipped };
        state.write(filterKey, countSpread(pod, constraints, { cluster, counts }));
        return undefined;
      } catch (error) {
        return { status: failure(name, error) };
      }
    },
    addPod: (state, _, added, node) => state.read<SpreadCounts>(filterKey)?.change(added, node, 1),
    removePod: (state, _, removed, node) => state.read<SpreadCounts>(filterKey)?.change(removed, node, -1),
    filter: (state, _, node) => state.read<SpreadCounts>(filterKey)!.judge(node),
    preScore(state, pod, nodes) {
      const constraints = constraintsOf(pod.pod, 'ScheduleAnyway');
      if (constraints.length === 0) return skipped;
      const needsAllKeys = (pod.pod.spec.topologySpreadConstraints?.length ?? 0) > 0 || !isSystem;
      const scene = { nodes, counts, needsAllKeys };
      state.write(scoreKey, weighSpread(pod, constraints, scene));
      return undefined;
    },
    score: (state, _, node) => state.read<SpreadScores>(scoreKey)!.of(node),
    normalize: (state, _, scores, nodes) => invert(scores, nodes, state.read<SpreadScores>(scoreKey)!.ignored),
    events: [
      {
        resource: 'Pod',
        action: actions.add | actions.delete | actions.updatePodLabel,
        hint: (pod, before, after) =>
          podHelps(pod, constraintsOf(pod, 'DoNotSchedule'), before as Pod | undefined, after as Pod | undefined),
      },
      {
        resource: 'Node',
        action: actions.add | actions.delete | actions.updateNodeLabel | actions.updateNodeTaint,
        hint: (pod, before, after) =>
          nodeHelps(constraintsOf(pod, 'DoNotSchedule'), before as Node | undefined, after as Node | undefined),
      },
    ],
  };
}

/** A pod of the group has come, gone, or become one. */
export function podHelps(
  pod: Pod,
  constraints: readonly SpreadConstraint[],
  before: Pod | undefined,
  after: Pod | undefined,
): boolean {
  if (before !== undefined && after?.metadata.uid === pod.metadata.uid) return true;
  const other = after ?? before!;
  if (other.metadata.namespace !== pod.metadata.namespace) return false;
  const counts = (each: Pod | undefined, { selector }: SpreadConstraint): boolean =>
    each !== undefined && matchesLabels(selector, each.metadata.labels ?? {});
  return constraints.some((constraint) => counts(before, constraint) !== counts(after, constraint));
}

/** The node belongs to other domains than before, or may count now. */
export function nodeHelps(
  constraints: readonly SpreadConstraint[],
  before: Node | undefined,
  after: Node | undefined,
): boolean {
  const had = before !== undefined && hasAllKeys(before, constraints);
  const has = after !== undefined && hasAllKeys(after, constraints);
  if (!had || !has) return had !== has;
  const moved = ({ topologyKey }: SpreadConstraint): boolean =>
    valueOf(before, topologyKey) !== valueOf(after, topologyKey);
  return constraints.some((constraint) => moved(constraint) || constraint.honorsTaints);
}
