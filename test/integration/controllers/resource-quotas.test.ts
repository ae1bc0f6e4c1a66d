import { expect, test, vi } from 'vitest';
import { startControllerCluster } from './controller-cluster.ts';

const timeoutMs = 10_000;

test('A quota says what is used of it, and gives back what is gone', async () => {
  await using cluster = await startControllerCluster({ controllers: ['resourcequota'] });
  const { client } = cluster;
  const quotas = client.core.v1.resourcequotas.namespace('default');
  const maps = client.core.v1.configmaps.namespace('default');
  const usedBecomes = (used: object): Promise<void> =>
    vi.waitFor(async () => expect((await quotas.get('q')).status?.used).toEqual(used), timeoutMs);
  for (const name of ['a', 'b']) await maps.create({ metadata: { name } });
  const hard = { configmaps: '5', 'count/deployments.apps': '1', 'requests.cpu': '1', 'count/things.example.com': '1' };
  await quotas.create({ metadata: { name: 'q' }, spec: { hard } });
  await usedBecomes({ configmaps: '2', 'count/deployments.apps': '0', 'requests.cpu': '0' });
  await maps.create({ metadata: { name: 'c' } });
  await usedBecomes({ configmaps: '3', 'count/deployments.apps': '0', 'requests.cpu': '0' });
  await maps.delete('a');
  await maps.delete('b');
  await usedBecomes({ configmaps: '1', 'count/deployments.apps': '0', 'requests.cpu': '0' });
});

test('A quota that another client wrote to stays so when a quota of other resources is measured', async () => {
  await using cluster = await startControllerCluster({ controllers: ['resourcequota'] });
  const quotas = cluster.client.core.v1.resourcequotas.namespace('default');
  const usedBecomes = (name: string, used: object): Promise<void> =>
    vi.waitFor(async () => expect((await quotas.get(name)).status?.used).toEqual(used), timeoutMs);
  await quotas.create({ metadata: { name: 'maps' }, spec: { hard: { configmaps: '5' } } });
  await usedBecomes('maps', { configmaps: '0' });
  const status = { hard: { configmaps: '9' }, used: { configmaps: '4' } };
  await quotas.status.patch('maps', { merge: { status } });
  // These are measured after what their resources wake: a quota with the limits it has in its status waits behind them.
  await quotas.create({ metadata: { name: 'secrets' }, spec: { hard: { secrets: '1' } } });
  await usedBecomes('secrets', { secrets: '0' });
  await quotas.create({ metadata: { name: 'later' }, spec: { hard: { secrets: '2' } } });
  await usedBecomes('later', { secrets: '0' });
  expect((await quotas.get('maps')).status).toEqual(status);
});
