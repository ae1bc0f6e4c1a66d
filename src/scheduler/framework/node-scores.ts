/** Adds up the scores of nodes. The buffers are used again for each pod. */
import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import type { CycleState } from './cycle-state.ts';
import type { ScorePlugin } from './plugin.ts';

interface Weighted {
  readonly plugin: { readonly name: string } & ScorePlugin;
  readonly weight: number;
}

export class NodeScores {
  #scores = new Float64Array(128);
  #totals = new Float64Array(128);

  /** Valid until the next call. */
  total(plugins: readonly Weighted[], state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): Float64Array {
    const count = nodes.length;
    if (count > this.#scores.length) {
      this.#scores = new Float64Array(2 * count);
      this.#totals = new Float64Array(2 * count);
    }
    const totals = this.#totals.subarray(0, count).fill(0);
    const scores = this.#scores.subarray(0, count);
    for (const { plugin, weight } of plugins) {
      if (state.skippedScores.has(plugin.name)) continue;
      for (let i = 0; i < count; i++) scores[i] = plugin.score(state, pod, nodes[i]!);
      plugin.normalize?.(state, pod, scores, nodes);
      for (let i = 0; i < count; i++) totals[i]! += scores[i]! * weight;
    }
    return totals;
  }
}
