/** Tells node agents how long they may keep secrets and config maps from their caches, by an annotation of the node. */
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { changesOf } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { nextStep, secondsOf } from './sync.ts';

const annotation = 'node.alpha.kubernetes.io/ttl';
const workers = 5;

export function startNodeTtl(context: ControllerContext): void {
  const nodes = context.informer(context.client.core.v1.nodes);
  let step = 0;
  const controller = context.work({
    queue: 'ttlcontroller',
    workers,
    triggers: [changesOf(nodes)],
    sync: async (name) => {
      const before = step;
      step = nextStep(step, nodes.objects.size);
      if (step !== before) for (const key of nodes.objects.keys()) controller.add(key);
      const node = nodes.objects.get(name);
      const wanted = String(secondsOf(step));
      if (node === undefined || node.metadata.annotations?.[annotation] === wanted) return undefined;
      await context.client.core.v1.nodes
        .patch(name, { strategic: { metadata: { annotations: { [annotation]: wanted } } } })
        .catch(undefinedWhenGone);
      return undefined;
    },
  });
}
