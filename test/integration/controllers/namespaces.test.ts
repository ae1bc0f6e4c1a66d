import { expect, test, vi } from 'vitest';
import type { Client } from '../../../src/client/index.ts';
import { startControllerCluster } from './controller-cluster.ts';
import { FakeClock } from '../../../src/base/testing/fake-clock.ts';
import { inParallel } from '../../../src/controllers/shared/parallel.ts';

/** The controller waits for 5 s before a namespace itself ends. */
const timeoutMs = 20_000;

const namesOf = async (client: Client, prefix: string): Promise<string[]> => {
  const { items } = await client.core.v1.namespaces.list();
  return items.map(({ metadata }) => metadata.name!).filter((name) => name.startsWith(prefix));
};

test('A namespace ends when its content is gone, and says what holds it', { timeout: timeoutMs }, async () => {
  await using cluster = await startControllerCluster({ controllers: ['namespace'] });
  const { namespaces, configmaps } = cluster.client.core.v1;
  for (const name of ['team-a', 'team-b']) {
    await namespaces.create({ metadata: { name } });
    const metadata = { name: 'a', namespace: name, ...(name === 'team-a' ? {} : { finalizers: ['example.com/hold'] }) };
    await configmaps.create({ metadata });
    await namespaces.delete(name);
  }
  await vi.waitFor(async () => expect(await namesOf(cluster.client, 'team-')).toEqual(['team-b']), timeoutMs);
  await vi.waitFor(async () => {
    const { status } = await namespaces.get('team-b');
    expect(status.conditions?.find(({ type }) => type === 'NamespaceFinalizersRemaining')?.message).toBe(
      'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    );
  }, timeoutMs);
});

test('The content of a namespace goes at once, and the namespace when 5 s have passed', {
  timeout: timeoutMs,
}, async () => {
  const clock = new FakeClock();
  await using cluster = await startControllerCluster({ controllers: ['namespace'], clock });
  const { namespaces, configmaps } = cluster.client.core.v1;
  await namespaces.create({ metadata: { name: 'team' } });
  await configmaps.create({ metadata: { name: 'a', namespace: 'team' } });
  await namespaces.delete('team');
  const isEmpty = async (): Promise<void> => {
    await clock.advance(0);
    expect((await configmaps.namespace('team').list()).items).toEqual([]);
  };
  await vi.waitFor(isEmpty, timeoutMs);
  expect(await namesOf(cluster.client, 'team')).toEqual(['team']);
  await vi.waitFor(async () => {
    await clock.advance(2500);
    expect(await namesOf(cluster.client, 'team')).toEqual([]);
  }, timeoutMs);
  expect(clock.now()).toBeGreaterThanOrEqual(5000);
});

test('An aggregated API that is down is said in the namespace, and the rest of its content goes', {
  timeout: timeoutMs,
}, async () => {
  await using cluster = await startControllerCluster({ controllers: ['namespace'] });
  const { namespaces, configmaps } = cluster.client.core.v1;
  await cluster.client.apiregistration.v1.apiservices.create({
    metadata: { name: 'v1.down.example.com' },
    spec: {
      group: 'down.example.com',
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name: 'nothing' },
    },
  });
  await namespaces.create({ metadata: { name: 'team' } });
  await configmaps.create({ metadata: { name: 'a', namespace: 'team' } });
  await namespaces.delete('team');
  await vi.waitFor(async () => {
    const { status } = await namespaces.get('team');
    const reasons = Object.fromEntries((status.conditions ?? []).map(({ type, reason }) => [type!, reason]));
    expect(reasons).toMatchObject({
      NamespaceDeletionDiscoveryFailure: 'DiscoveryFailed',
      NamespaceContentRemaining: 'ContentRemoved',
    });
  }, timeoutMs);
  expect((await configmaps.namespace('team').list()).items).toEqual([]);
});

test('5,000 objects of a namespace are deleted by one request', { timeout: 60_000 }, async () => {
  await using cluster = await startControllerCluster({ controllers: ['namespace'] });
  const { namespaces, configmaps } = cluster.client.core.v1;
  await namespaces.create({ metadata: { name: 'big' } });
  const names = Array.from({ length: 5000 }, (_, index) => `object-${index}`);
  const made = await inParallel(names, 50, (name) => configmaps.create({ metadata: { name, namespace: 'big' } }));
  expect(made.filter(({ status }) => status === 'rejected')).toEqual([]);
  await namespaces.delete('big');
  await vi.waitFor(async () => expect(await namesOf(cluster.client, 'big')).toEqual([]), {
    timeout: 30_000,
    interval: 200,
  });
  const { body } = await cluster.client.request({ method: 'GET', path: '/metrics' });
  let text = '';
  for await (const piece of body ?? []) text += Buffer.from(piece).toString();
  const deletions = text
    .split('\n')
    .filter((line) => /^apiserver_request_total.*resource="configmaps"/.test(line) && line.includes('verb="DELETE'));
  expect(deletions.map((line) => line.replace(/^.*verb="(\w+)".*\} /, '$1 '))).toEqual(['DELETE 1']);
});
