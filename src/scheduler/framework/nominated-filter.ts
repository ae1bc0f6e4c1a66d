/** A node as it will be when the pods nominated for it have come. */
import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import type { CycleState } from './cycle-state.ts';
import type { Has, PreFilterPlugin } from './plugin.ts';

export interface FilterScene {
  readonly state: CycleState;
  readonly pod: PodInfo;
  readonly node: NodeInfo;
  readonly preFilters: readonly Has<PreFilterPlugin>[];
}

/** Undefined when none of them counts for the pod: those of lower priority give way. */
export function addNominated(
  nominated: ReadonlyMap<string, PodInfo>,
  { state, pod, node, preFilters }: FilterScene,
): { readonly state: CycleState; readonly node: NodeInfo } | undefined {
  const counting = [...nominated.values()].filter(({ uid, priority }) => uid !== pod.uid && priority >= pod.priority);
  if (counting.length === 0) return undefined;
  const copy = { state: state.clone(), node: node.clone() };
  for (const added of counting) {
    copy.node.addPod(added);
    for (const plugin of preFilters)
      if (!state.skippedFilters.has(plugin.name)) plugin.addPod?.(copy.state, pod, added, copy.node);
  }
  return copy;
}
