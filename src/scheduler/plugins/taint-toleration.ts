/** Keeps pods off nodes whose taints they do not tolerate, and prefers nodes with few taints that repel them softly. */
import type { Node, Taint, Toleration } from '../../api/gen/types/core-v1.ts';
import { actions } from '../framework/cluster-event.ts';
import type { StateData } from '../framework/cycle-state.ts';
import { normalizeToMax } from '../framework/normalize.ts';
import type { EnqueuePlugin, FilterPlugin, Has, PreScorePlugin, ScorePlugin } from '../framework/plugin.ts';
import { unresolvable } from '../framework/status.ts';
import { isSamePod } from './shared/same-pod.ts';
import { toleratesTaint, untoleratedTaint } from '../../api/core/nodes/taints.ts';

const name = 'TaintToleration';

class SoftTolerations implements StateData {
  readonly tolerations: readonly Toleration[];

  constructor(tolerations: readonly Toleration[]) {
    this.tolerations = tolerations;
  }

  clone(): StateData {
    return this;
  }
}

export function createTaintToleration(): Has<FilterPlugin & PreScorePlugin & ScorePlugin & EnqueuePlugin> {
  return {
    name,
    filter(_, { pod }, { node }) {
      const taint = untoleratedTaint(node?.spec.taints, pod.spec.tolerations);
      return taint === undefined ? undefined : unresolvable(name, untolerated(taint));
    },
    preScore(state, { pod }) {
      const soft = (pod.spec.tolerations ?? []).filter(({ effect = '' }) => effect === '' || effect === softEffect);
      state.write(name, new SoftTolerations(soft));
      return undefined;
    },
    score(state, _, { node }) {
      return countSoftTaints(node?.spec.taints, state.read<SoftTolerations>(name)!.tolerations);
    },
    normalize: (_state, _pod, scores) => normalizeToMax(scores, true),
    events: [
      {
        resource: 'Node',
        action: actions.add | actions.updateNodeTaint,
        hint: ({ spec }, before, after) =>
          untoleratedTaint((after as Node).spec.taints, spec.tolerations) === undefined &&
          (before === undefined || untoleratedTaint((before as Node).spec.taints, spec.tolerations) !== undefined),
      },
      { resource: 'UnscheduledPod', action: actions.updatePodTolerations, hint: isSamePod },
    ],
  };
}

const softEffect = 'PreferNoSchedule';

const untolerated = ({ key = '', value = '' }: Taint): string => `node(s) had untolerated taint {${key}: ${value}}`;

export function countSoftTaints(taints: readonly Taint[] | undefined, tolerations: readonly Toleration[]): number {
  let count = 0;
  if (taints !== undefined)
    for (const taint of taints) if (taint.effect === softEffect && !toleratesTaint(tolerations, taint)) count++;
  return count;
}
