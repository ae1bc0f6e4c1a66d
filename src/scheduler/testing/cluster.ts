/** A cluster state from a few words, for tests of plugins that look at more than one node. */
import type { Answer } from '../framework/plugin.ts';
import type { FilterPlugin, PreFilterPlugin } from '../framework/plugin.ts';
import { CycleState } from '../framework/cycle-state.ts';
import { ClusterState } from '../state/cluster-state.ts';
import { MatchCounts } from '../state/match-counts.ts';
import type { PodInfo } from '../state/pod-info.ts';
import { node, pod, type TestNode, type TestPod } from './objects.ts';

export interface TestCluster {
  readonly cluster: ClusterState;
  readonly counts: MatchCounts;
}

export function testCluster(nodes: readonly TestNode[], pods: readonly TestPod[] = []): TestCluster {
  const cluster = new ClusterState();
  const counts = new MatchCounts(cluster);
  for (const each of nodes) cluster.setNode(node(each));
  for (const each of pods) cluster.setPod(pod(each));
  return { cluster, counts };
}

const zoneLabel = 'topology.kubernetes.io/zone';

/** `a1`, `a2`, `b1`: nodes in the zones of their first letter. */
export const zonedNodes = (...names: string[]): TestNode[] =>
  names.map((name) => ({ name, labels: { [zoneLabel]: name[0]! } }));

/** What a plugin says of each node: the code and message of a refusal, or `fits`. */
export function judgements(
  plugin: PreFilterPlugin & FilterPlugin,
  info: PodInfo,
  cluster: ClusterState,
  state = new CycleState(),
): Record<string, string> {
  const status = plugin.preFilter(state, info)?.status;
  const shown = (answer: Answer): string => (answer === undefined ? 'fits' : `${answer.code}: ${answer.message}`);
  return Object.fromEntries(
    cluster.nodes.map((each) => {
      if (status?.code === 'Skip') return [each.name, 'skipped'];
      return [each.name, shown(status ?? plugin.filter(state, info, each))];
    }),
  );
}
