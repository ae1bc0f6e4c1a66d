import { expect, test, vi } from 'vitest';
import type { Deployment } from '../../../src/api/gen/types/apps-v1.ts';
import type { Input } from '../../../src/client/index.ts';
import { startControllerCluster } from './controller-cluster.ts';
import { keepPodsReady } from './pods-run.ts';

const web: Input<Deployment> = {
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'nginx:1' }] },
    },
  },
};

test('A Deployment rolls out a new image, goes back, and follows its size', async () => {
  await using cluster = await startControllerCluster({
    controllers: ['replicaset-controller', 'deployment-controller'],
  });
  await using _ = keepPodsReady(cluster.client, 'default');
  const deployments = cluster.client.apps.v1.deployments.namespace('default');
  const sets = cluster.client.apps.v1.replicasets.namespace('default');
  const isRolledOut = (replicas: number, revision: string): Promise<void> =>
    vi.waitFor(async () => {
      const { metadata, status } = await deployments.get('web');
      expect(metadata.annotations?.['deployment.kubernetes.io/revision']).toBe(revision);
      expect(status).toMatchObject({
        observedGeneration: metadata.generation,
        replicas,
        updatedReplicas: replicas,
        readyReplicas: replicas,
        availableReplicas: replicas,
      });
      expect(status?.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`).sort()).toEqual([
        'Available True MinimumReplicasAvailable',
        'Progressing True NewReplicaSetAvailable',
      ]);
    }, 8000);
  const setImage = (image: string): Promise<unknown> =>
    deployments.patch('web', {
      strategic: { spec: { template: { spec: { containers: [{ name: 'web', image }] } } } },
    });
  await deployments.create(web);
  await isRolledOut(3, '1');
  await setImage('nginx:2');
  await isRolledOut(3, '2');
  await deployments.patch('web', { merge: { spec: { replicas: 5 } } });
  await isRolledOut(5, '2');
  await setImage('nginx:1');
  await isRolledOut(5, '3');
  const { items } = await sets.list();
  expect(items.map(({ spec }) => spec?.replicas).sort()).toEqual([0, 5]);
  expect(items.find(({ spec }) => spec?.replicas === 5)?.metadata.annotations).toMatchObject({
    'deployment.kubernetes.io/revision': '3',
    'deployment.kubernetes.io/revision-history': '1',
  });
});
