/**
 * Pods that must, must not, or would rather be beside others.
 * @see {@link
 *   https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#inter-pod-affinity-and-anti-affinity |
 *   Inter-pod affinity}
 */
import type { Node, Pod } from '../../../api/gen/types/core-v1.ts';
import type { InterPodAffinityArgs } from '../../config/plugin-args.ts';
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
import { matchesPod, type NamespaceLabels } from '../../state/affinity-term.ts';
import { PodInfo } from '../../state/pod-info.ts';
import type { AffinityCounts } from './filter.ts';
import { countAffinity, isWithoutTerms, judge, name } from './filter.ts';
import { AffinityScores, spreadOut, weighAffinity } from './score.ts';
import type { TermScene } from './terms.ts';

const filterKey = `PreFilter${name}`;
const scoreKey = `PreScore${name}`;
const skipped = skip(name);

type InterPodAffinity = Has<PreFilterPlugin & FilterPlugin & PreScorePlugin & ScorePlugin & EnqueuePlugin>;

export function createInterPodAffinity(args: InterPodAffinityArgs, scene: TermScene): InterPodAffinity {
  const { namespaceLabels } = scene;
  return {
    name,
    preFilter(state, pod) {
      if (pod.affinityError !== undefined) return { status: failure(name, pod.affinityError) };
      const counts = countAffinity(pod, scene);
      if (isWithoutTerms(pod, counts)) return { status: skipped };
      state.write(filterKey, counts);
      return undefined;
    },
    addPod: (state, pod, added, node) =>
      state.read<AffinityCounts>(filterKey)?.change(pod, added, node, 1, namespaceLabels),
    removePod: (state, pod, removed, node) =>
      state.read<AffinityCounts>(filterKey)?.change(pod, removed, node, -1, namespaceLabels),
    filter: (state, pod, node) => judge(state.read<AffinityCounts>(filterKey)!, pod, node, namespaceLabels),
    preScore(state, pod) {
      const weights = weighAffinity(pod, scene, args);
      if (weights.isEmpty) return skipped;
      state.write(scoreKey, new AffinityScores(weights));
      return undefined;
    },
    score: (state, _, { node }) => state.read<AffinityScores>(scoreKey)!.weights.sumOn(node!),
    normalize: (_state, _pod, scores) => spreadOut(scores),
    events: [
      {
        resource: 'Pod',
        action: actions.add | actions.delete | actions.updatePodLabel,
        hint: (pod, before, after) =>
          podHelps(new PodInfo(pod), before as Pod | undefined, after as Pod | undefined, namespaceLabels),
      },
      {
        resource: 'Node',
        action: actions.add | actions.updateNodeLabel,
        hint: (pod, before, after) => nodeHelps(new PodInfo(pod), before as Node | undefined, after as Node),
      },
    ],
  };
}

/** Another pod is wanted and has come, or was in the way and has gone. Labels of the pod itself may matter to all. */
export function podHelps(
  pod: PodInfo,
  before: Pod | undefined,
  after: Pod | undefined,
  namespaceLabels: NamespaceLabels,
): boolean {
  if (after?.metadata.uid === pod.uid && before !== undefined) return true;
  const isWanted = (other: Pod | undefined): boolean =>
    other !== undefined &&
    pod.requiredAffinity.length > 0 &&
    pod.requiredAffinity.every((term) => matchesPod(term, other, namespaceLabels));
  const isInTheWay = (other: Pod | undefined): boolean =>
    other !== undefined &&
    (pod.requiredAntiAffinity.some((term) => matchesPod(term, other, namespaceLabels)) ||
      new PodInfo(other).requiredAntiAffinity.some((term) => matchesPod(term, pod.pod, namespaceLabels)));
  return (!isWanted(before) && isWanted(after)) || (isInTheWay(before) && !isInTheWay(after));
}

/** The node is in another topology than before, of a kind that matters. */
export function nodeHelps(pod: PodInfo, before: Node | undefined, after: Node): boolean {
  const value = (node: Node | undefined, key: string): string | undefined => node?.metadata.labels?.[key];
  const terms = [...pod.requiredAffinity, ...pod.requiredAntiAffinity];
  // Refused by terms of others, of which nothing is known here.
  if (terms.length === 0) return true;
  if (pod.requiredAffinity.some(({ topologyKey }) => value(after, topologyKey) === undefined)) return false;
  if (before === undefined) return true;
  return terms.some(({ topologyKey }) => value(before, topologyKey) !== value(after, topologyKey));
}
