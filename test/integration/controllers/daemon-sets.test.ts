import { expect, test, vi } from 'vitest';
import type { DaemonSet } from '../../../src/api/gen/types/apps-v1.ts';
import type { Client, Input } from '../../../src/client/index.ts';
import { targetNodeOf } from '../../../src/controllers/daemon-sets/daemon-pod.ts';
import { startControllerCluster } from './controller-cluster.ts';
import { keepPodsReady } from './pods-run.ts';

const agent: Input<DaemonSet> = {
  metadata: { name: 'agent', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: {
      metadata: { labels: { app: 'agent' } },
      spec: { nodeSelector: { zone: 'a' }, containers: [{ name: 'app', image: 'app:1' }] },
    },
  },
};

/** The image of the pod of each node. */
async function imagesByNode(client: Client): Promise<Record<string, string | undefined>> {
  const { items } = await client.core.v1.pods.namespace('default').list();
  return Object.fromEntries(items.map((pod) => [targetNodeOf(pod), pod.spec.containers?.[0]?.image]));
}

test('A DaemonSet follows the nodes that it is for, and rolls out a new image', async () => {
  await using cluster = await startControllerCluster({ controllers: ['daemonset-controller'] });
  const { client } = cluster;
  await using _ = keepPodsReady(client, 'default');
  const { nodes } = client.core.v1;
  const sets = client.apps.v1.daemonsets.namespace('default');
  const podsBecome = (images: Record<string, string>): Promise<void> =>
    vi.waitFor(async () => {
      expect(await imagesByNode(client)).toEqual(images);
      const { metadata, status } = await sets.get('agent');
      const count = Object.keys(images).length;
      expect(status).toMatchObject({
        observedGeneration: metadata.generation,
        desiredNumberScheduled: count,
        currentNumberScheduled: count,
        updatedNumberScheduled: count,
        numberAvailable: count,
      });
    }, 20_000);
  const untainted = async (name: string, labels: Record<string, string>): Promise<void> => {
    await nodes.create({ metadata: { name, labels } });
    await nodes.patch(name, { merge: { spec: { taints: null } } });
  };
  await untainted('n1', { zone: 'a' });
  await untainted('n2', { zone: 'b' });
  await sets.create(agent);
  await podsBecome({ n1: 'app:1' });
  await untainted('n3', { zone: 'a' });
  await nodes.patch('n2', { merge: { metadata: { labels: { zone: 'a' } } } });
  await podsBecome({ n1: 'app:1', n2: 'app:1', n3: 'app:1' });
  await sets.patch('agent', {
    strategic: { spec: { template: { spec: { containers: [{ name: 'app', image: 'app:2' }] } } } },
  });
  await podsBecome({ n1: 'app:2', n2: 'app:2', n3: 'app:2' });
  await nodes.patch('n1', { merge: { spec: { taints: [{ key: 'x', effect: 'NoExecute' }] } } });
  await podsBecome({ n2: 'app:2', n3: 'app:2' });
}, 90_000);
