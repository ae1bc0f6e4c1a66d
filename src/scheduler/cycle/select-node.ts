import type { NodeInfo } from '../state/node-info.ts';

/** The node with the highest score; one of them at random where several have it. */
export function selectNode(nodes: readonly NodeInfo[], totals: Float64Array, random: () => number): NodeInfo {
  let selected = 0;
  let ties = 1;
  for (let i = 1; i < nodes.length; i++) {
    const difference = totals[i]! - totals[selected]!;
    if (difference > 0) {
      selected = i;
      ties = 1;
    } else if (difference === 0 && random() * ++ties < 1) selected = i;
  }
  return nodes[selected]!;
}
