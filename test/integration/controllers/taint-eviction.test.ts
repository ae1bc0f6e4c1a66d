import { expect, test, vi } from 'vitest';
import type { Pod } from '../../../src/api/gen/types/core-v1.ts';
import { startControllerCluster } from './controller-cluster.ts';

test('A pod that is on its way out is told once that its node evicts it', async () => {
  await using cluster = await startControllerCluster({ controllers: ['taint-eviction-controller'] });
  const { nodes, pods: allPods, events: allEvents } = cluster.client.core.v1;
  const [pods, events] = [allPods.namespace('default'), allEvents.namespace('default')];
  await nodes.create({ metadata: { name: 'n1' } });
  await pods.create({
    metadata: { name: 'p', namespace: 'default' },
    spec: { nodeName: 'n1', containers: [{ name: 'app', image: 'app:1' }] },
  });
  await pods.delete('p');
  await nodes.patch('n1', {
    merge: { spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] } },
  });
  const evicted = (): Promise<Pod> =>
    vi.waitFor(async () => {
      const pod = await pods.get('p');
      expect(pod.status?.conditions).toMatchObject([{ type: 'DisruptionTarget', reason: 'DeletionByTaintManager' }]);
      return pod;
    }, 5000);
  await evicted();
  // What happens to the pod now has been seen when another pod, which changes later, is gone.
  await pods.patch('p', { merge: { metadata: { labels: { changed: 'yes' } } } });
  await pods.create({
    metadata: { name: 'later', namespace: 'default' },
    spec: { nodeName: 'n1', terminationGracePeriodSeconds: 0, containers: [{ name: 'app', image: 'app:1' }] },
  });
  await vi.waitFor(async () => expect((await pods.list()).items).toHaveLength(1), 5000);
  await vi.waitFor(async () => {
    const told = (await events.list()).items.map(({ message, count }) => `${message} ${count}`).sort();
    expect(told).toEqual(['Marking for deletion Pod default/later 1', 'Marking for deletion Pod default/p 1']);
  }, 5000);
});
