import { expect, test, vi } from 'vitest';
import type { ReplicaSet } from '../../../src/api/gen/types/apps-v1.ts';
import type { Input } from '../../../src/client/index.ts';
import { startControllerCluster } from './controller-cluster.ts';

const web = (replicas: number): Input<ReplicaSet> => ({
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'nginx' }] },
    },
  },
});

test('A ReplicaSet has as many pods as it wants, whatever happens to them', async () => {
  await using cluster = await startControllerCluster({ controllers: ['replicaset-controller'] });
  const pods = cluster.client.core.v1.pods.namespace('default');
  const sets = cluster.client.apps.v1.replicasets.namespace('default');
  const podsBecome = (count: number): Promise<void> =>
    vi.waitFor(async () => {
      expect((await pods.list({ labelSelector: 'app=web' })).items).toHaveLength(count);
      expect((await sets.get('web')).status?.replicas ?? 0).toBe(count);
    }, 5000);
  await sets.create(web(20));
  await podsBecome(20);
  await sets.patch('web', { merge: { spec: { replicas: 3 } } });
  await podsBecome(3);
  const [first, second] = (await pods.list()).items;
  await pods.delete(first!.metadata.name!);
  await pods.patch(second!.metadata.name!, { merge: { metadata: { labels: { app: 'other' } } } });
  await podsBecome(3);
  await vi.waitFor(async () =>
    expect((await pods.get(second!.metadata.name!)).metadata.ownerReferences).toBeUndefined(),
  );
  await sets.patch('web', { merge: { spec: { replicas: 4 } } });
  await pods.patch(second!.metadata.name!, { merge: { metadata: { labels: { app: 'web' } } } });
  await podsBecome(4);
});
