/** What pods prefer of each other, as numbers by topology. */
import type { InterPodAffinityArgs } from '../../config/plugin-args.ts';
import type { StateData } from '../../framework/cycle-state.ts';
import { maxNodeScore } from '../../framework/plugin.ts';
import { type AffinityTerm, matchesPod } from '../../state/affinity-term.ts';
import type { PodInfo } from '../../state/pod-info.ts';
import { TopologyCounts } from '../../state/topology-counts.ts';
import { type TermScene, visitMatching } from './terms.ts';

export class AffinityScores implements StateData {
  readonly weights: TopologyCounts;

  constructor(weights: TopologyCounts) {
    this.weights = weights;
  }

  clone(): StateData {
    return this;
  }
}

export function weighAffinity(pod: PodInfo, scene: TermScene, args: InterPodAffinityArgs): TopologyCounts {
  const weights = new TopologyCounts();
  addOwn(weights, pod.preferredAffinity, 1, scene);
  addOwn(weights, pod.preferredAntiAffinity, -1, scene);
  for (const { node, podsWithAffinity } of scene.cluster.nodesWithAffinity) {
    if (node === undefined) continue;
    const add = (terms: readonly AffinityTerm[], weightOf: (term: AffinityTerm) => number): void => {
      for (const term of terms)
        if (matchesPod(term, pod.pod, scene.namespaceLabels)) weights.add(node, term.topologyKey, weightOf(term));
    };
    for (const other of podsWithAffinity.values()) {
      if (args.hardPodAffinityWeight > 0) add(other.requiredAffinity, () => args.hardPodAffinityWeight);
      if (args.ignorePreferredTermsOfExistingPods) continue;
      add(other.preferredAffinity, ({ weight }) => weight);
      add(other.preferredAntiAffinity, ({ weight }) => -weight);
    }
  }
  return weights;
}

function addOwn(weights: TopologyCounts, terms: readonly AffinityTerm[], sign: 1 | -1, scene: TermScene): void {
  for (const term of terms)
    visitMatching([term], scene, ({ node }, pods) => {
      if (node !== undefined) weights.add(node, term.topologyKey, sign * term.weight * pods);
    });
}

/** The lowest becomes 0 and the highest 100. In place. */
export function spreadOut(scores: Float64Array): void {
  let min = Infinity;
  let max = -Infinity;
  for (let i = 0; i < scores.length; i++) {
    if (scores[i]! < min) min = scores[i]!;
    if (scores[i]! > max) max = scores[i]!;
  }
  const range = max - min;
  for (let i = 0; i < scores.length; i++)
    scores[i] = range > 0 ? Math.floor((maxNodeScore * (scores[i]! - min)) / range) : 0;
}
