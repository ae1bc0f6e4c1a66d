/** A pod that names its node fits on no other. */
import type { Node } from '../../api/gen/types/core-v1.ts';
import { actions } from '../framework/cluster-event.ts';
import type { EnqueuePlugin, FilterPlugin, Has } from '../framework/plugin.ts';
import { unresolvable } from '../framework/status.ts';

const name = 'NodeName';
const otherNode = unresolvable(name, "node(s) didn't match the requested node name");

export function createNodeName(): Has<FilterPlugin & EnqueuePlugin> {
  return {
    name,
    filter(_, { pod }, node) {
      const { nodeName = '' } = pod.spec;
      return nodeName === '' || nodeName === node.name ? undefined : otherNode;
    },
    events: [
      {
        resource: 'Node',
        action: actions.add,
        hint: ({ spec }, _, after) => spec.nodeName === (after as Node).metadata.name,
      },
    ],
  };
}
