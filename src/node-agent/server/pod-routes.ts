/** `/pods`: what the agent knows. `/runningpods/`: what its runtime says. */
import { Router } from '@koa/router';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { PodPorts } from './served-pods.ts';
import type { AgentState } from './state.ts';

const typed = { kind: 'PodList', apiVersion: 'v1', metadata: {} };

export function podRoutes({ served }: Pick<PodPorts, 'served'>): Router<AgentState> {
  const router = new Router<AgentState>({ sensitive: true });
  router.get('/pods', (ctx) => {
    ctx.set('content-type', 'application/json');
    ctx.body = JSON.stringify({ ...typed, items: served.pods().map(withoutType) });
  });
  return router;
}

/** Items of a list do not say what they are. */
const withoutType = ({ kind: _, apiVersion: __, ...pod }: Pod): object => pod;

export function runningPodRoutes({ runtime }: Pick<PodPorts, 'runtime'>): Router<AgentState> {
  const router = new Router<AgentState>({ sensitive: true });
  router.get('/runningpods', async (ctx) => {
    const [{ items = [] }, { containers = [] }] = await Promise.all([
      runtime.listPodSandbox({ filter: { state: { state: 'SANDBOX_READY' } } }),
      runtime.listContainers({ filter: { state: { state: 'CONTAINER_RUNNING' } } }),
    ]);
    ctx.set('content-type', 'application/json');
    ctx.body = JSON.stringify({
      ...typed,
      items: items.map(({ id, metadata }) => ({
        metadata: {
          name: metadata?.name,
          namespace: metadata?.namespace,
          uid: metadata?.uid,
          creationTimestamp: null,
        },
        spec: {
          containers: containers
            .filter(({ podSandboxId }) => podSandboxId === id)
            .map(({ metadata: container, image }) => ({ name: container?.name, image: image?.image, resources: {} })),
        },
        status: {},
      })),
    });
  });
  return router;
}
