import { expect, test, vi } from 'vitest';
import type { StatefulSet } from '../../../src/api/gen/types/apps-v1.ts';
import type { Input } from '../../../src/client/index.ts';
import { startControllerCluster } from './controller-cluster.ts';
import { keepPodsReady } from './pods-run.ts';

const db: Input<StatefulSet> = {
  metadata: { name: 'db', namespace: 'default' },
  spec: {
    replicas: 3,
    serviceName: 'db',
    revisionHistoryLimit: 1,
    selector: { matchLabels: { app: 'db' } },
    template: {
      metadata: { labels: { app: 'db' } },
      spec: { containers: [{ name: 'app', image: 'app:1' }] },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' },
  },
};

test('A StatefulSet makes its pods in order, rolls out a new image, goes back, and shrinks', async () => {
  await using cluster = await startControllerCluster({ controllers: ['statefulset-controller'] });
  await using _ = keepPodsReady(cluster.client, 'default');
  const { core, apps } = cluster.client;
  const sets = apps.v1.statefulsets.namespace('default');
  const revisions = apps.v1.controllerrevisions.namespace('default');
  const podsBecome = (images: Record<string, string>): Promise<void> =>
    vi.waitFor(async () => {
      const { items } = await core.v1.pods.namespace('default').list();
      expect(
        Object.fromEntries(items.map(({ metadata, spec }) => [metadata.name, spec.containers?.[0]?.image])),
      ).toEqual(images);
      const { metadata, status } = await sets.get('db');
      const count = items.length;
      expect(status).toMatchObject({
        observedGeneration: metadata.generation,
        replicas: count,
        readyReplicas: count,
        updatedReplicas: count,
        currentRevision: status.updateRevision,
      });
    }, 20_000);
  const setImage = (image: string): Promise<unknown> =>
    sets.patch('db', { strategic: { spec: { template: { spec: { containers: [{ name: 'app', image }] } } } } });

  const { metadata } = await sets.create(db);
  await podsBecome({ 'db-0': 'app:1', 'db-1': 'app:1', 'db-2': 'app:1' });
  const claims = await core.v1.persistentvolumeclaims.namespace('default').list();
  expect(claims.items.map((claim) => [claim.metadata.name, claim.metadata.ownerReferences?.[0]?.uid])).toEqual(
    ['data-db-0', 'data-db-1', 'data-db-2'].map((name) => [name, metadata.uid]),
  );
  await setImage('app:2');
  await podsBecome({ 'db-0': 'app:2', 'db-1': 'app:2', 'db-2': 'app:2' });
  await setImage('app:1');
  await podsBecome({ 'db-0': 'app:1', 'db-1': 'app:1', 'db-2': 'app:1' });
  const known = (await revisions.list()).items.map(({ revision }) => revision);
  expect(known.toSorted((a, b) => Number(a) - Number(b))).toEqual([2, 3]);
  await sets.patch('db', { merge: { spec: { replicas: 1 } } });
  await podsBecome({ 'db-0': 'app:1' });
}, 90_000);

test('A name that another revision has taken leads to another name, and is counted', async () => {
  await using cluster = await startControllerCluster({ controllers: ['statefulset-controller'] });
  const { apps } = cluster.client;
  const sets = apps.v1.statefulsets.namespace('default');
  const revisions = apps.v1.controllerrevisions.namespace('default');
  const revisionOf = (name: string): Promise<string> =>
    vi.waitFor(async () => {
      const { updateRevision = '' } = (await sets.get(name)).status;
      expect(updateRevision).not.toBe('');
      return updateRevision;
    }, 20_000);
  const { spec } = db;
  await sets.create({ metadata: { name: 'db', namespace: 'default' }, spec: { ...spec!, replicas: 0 } });
  const taken = await revisionOf('db');
  await sets.delete('db', { propagationPolicy: 'Background' });
  await vi.waitFor(async () => expect((await sets.list()).items).toEqual([]), 20_000);
  await revisions.delete(taken);
  await revisions.create({ metadata: { name: taken, namespace: 'default' }, data: { other: true }, revision: 1 });
  await sets.create({ metadata: { name: 'db', namespace: 'default' }, spec: { ...spec!, replicas: 0 } });
  expect(await revisionOf('db')).not.toBe(taken);
  expect((await sets.get('db')).status.collisionCount).toBe(1);
}, 90_000);
