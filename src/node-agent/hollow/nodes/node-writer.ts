/** The writes of an agent about its node: registration and status. */
import type { Node } from '../../../api/gen/types/core-v1.ts';
import { isAlreadyExists } from '../../../client/api-error.ts';
import type { Client } from '../../../client/client.ts';
import { healthyConditions } from './node-object.ts';

const order = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map((type) => ({ type }));

export interface NodeWriter {
  /** Creates the node, or makes one that exists what this process says. The node as it is then. */
  register(node: Node, signal: AbortSignal): Promise<Node>;
  /** Shows that the node lives; its conditions stay as they are. */
  report(name: string, now: string, signal: AbortSignal): Promise<Node>;
  /** All conditions are good again, such as after a time in which the API server was away. */
  recover(name: string, now: string, signal: AbortSignal): Promise<Node>;
}

export function createNodeWriter({ core }: Pick<Client, 'core'>): NodeWriter {
  const { nodes } = core.v1;
  const patchConditions = (name: string, conditions: readonly object[], signal: AbortSignal): Promise<Node> => {
    const status = { '$setElementOrder/conditions': order, conditions };
    return nodes.status.patch(name, { strategic: { status } }, { signal });
  };
  return {
    async register(node, signal) {
      try {
        return await nodes.create(node, { signal });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
      const { name = '', labels, annotations } = node.metadata;
      await nodes.patch(name, { strategic: { metadata: { labels, annotations } } }, { signal });
      const status = { '$setElementOrder/conditions': order, ...node.status };
      return nodes.status.patch(name, { strategic: { status } }, { signal });
    },
    report: (name, now, signal) =>
      patchConditions(
        name,
        order.map(({ type }) => ({ type, lastHeartbeatTime: now })),
        signal,
      ),
    recover: (name, now, signal) => patchConditions(name, healthyConditions(now), signal),
  };
}
