/** Binds by the API: a Binding names the node. */
import type { Client } from '../../client/client.ts';
import type { BindPlugin, Has } from '../framework/plugin.ts';
import { failure } from '../framework/status.ts';

const name = 'DefaultBinder';

export function createDefaultBinder(client: Pick<Client, 'core'>): Has<BindPlugin> {
  return {
    name,
    async bind(_, { namespace, name: pod, uid }, nodeName, signal) {
      const binding = { metadata: { namespace, name: pod, uid }, target: { kind: 'Node', name: nodeName } };
      try {
        await client.core.v1.pods.namespace(namespace).binding.create(pod, binding, { signal });
        return undefined;
      } catch (error) {
        return failure(name, error);
      }
    },
  };
}
