/** Keeps pods off nodes that are cordoned. */
import type { Node, Pod } from '../../api/gen/types/core-v1.ts';
import { actions } from '../framework/cluster-event.ts';
import type { EnqueuePlugin, FilterPlugin, Has } from '../framework/plugin.ts';
import { unresolvable } from '../framework/status.ts';
import { isSamePod } from './shared/same-pod.ts';
import { toleratesTaint } from '../../api/core/nodes/taints.ts';

const name = 'NodeUnschedulable';
const cordoned = unresolvable(name, 'node(s) were unschedulable');
const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;

const tolerates = ({ spec }: Pod): boolean => toleratesTaint(spec.tolerations, taint);

export function createNodeUnschedulable(): Has<FilterPlugin & EnqueuePlugin> {
  return {
    name,
    filter(_, { pod }, { node }) {
      return node?.spec.unschedulable === true && !tolerates(pod) ? cordoned : undefined;
    },
    events: [
      {
        resource: 'Node',
        action: actions.add | actions.updateNodeTaint,
        hint: (pod, before, after) => becameUsable(pod, before as Node | undefined, after as Node),
      },
      { resource: 'UnscheduledPod', action: actions.updatePodTolerations, hint: isSamePod },
    ],
  };
}

function becameUsable(pod: Pod, before: Node | undefined, after: Node): boolean {
  if (after.spec.unschedulable === true) return before?.spec.unschedulable !== true && tolerates(pod);
  return before === undefined || before.spec.unschedulable === true;
}
