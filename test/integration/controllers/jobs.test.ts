import { expect, test, vi } from 'vitest';
import type { Job } from '../../../src/api/gen/types/batch-v1.ts';
import type { Pod } from '../../../src/api/gen/types/core-v1.ts';
import type { Client, Input } from '../../../src/client/index.ts';
import { startControllers } from '../../../src/controllers/manager/manager.ts';
import { defaultControllerManagerOptions } from '../../../src/controllers/manager/options.ts';
import { startControllerCluster } from './controller-cluster.ts';

const job = (spec: Input<Job>['spec']): Input<Job> => ({
  metadata: { name: 'work', namespace: 'default' },
  spec: {
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'app:1' }] } },
    ...spec,
  },
});

const now = (): string => new Date().toISOString().replace(/\.\d+/, '');

/** Does the kubelet's part for the pods that are there. */
async function finish(client: Client, phase: 'Succeeded' | 'Failed', selector = ''): Promise<void> {
  const pods = client.core.v1.pods.namespace('default');
  for (const { metadata, status } of (await pods.list({ labelSelector: selector })).items) {
    if (status?.phase !== 'Pending') continue;
    const terminated = { exitCode: phase === 'Failed' ? 1 : 0, finishedAt: now() };
    const containerStatuses = [{ name: 'app', state: { terminated } }];
    await pods.status.patch(metadata.name!, { strategic: { status: { phase, containerStatuses } } });
  }
}

test('An indexed Job counts each of its pods and ends when every index has succeeded', async () => {
  await using cluster = await startControllerCluster({ controllers: ['job-controller'] });
  const { client } = cluster;
  const jobs = client.batch.v1.jobs.namespace('default');
  const pods = client.core.v1.pods.namespace('default');
  await jobs.create(job({ completions: 3, parallelism: 2, completionMode: 'Indexed' }));
  await vi.waitFor(async () => expect((await jobs.get('work')).status).toMatchObject({ active: 2, ready: 0 }), 5000);
  await finish(client, 'Succeeded');
  await vi.waitFor(async () => expect((await jobs.get('work')).status.completedIndexes).toBe('0,1'), 5000);
  await vi.waitFor(async () => expect((await jobs.get('work')).status.active).toBe(1), 5000);
  await finish(client, 'Succeeded');
  await vi.waitFor(async () => {
    const { status } = await jobs.get('work');
    expect(status).toMatchObject({ succeeded: 3, completedIndexes: '0-2', terminating: 0, ready: 0 });
    expect(status.conditions?.map(({ type }) => type)).toEqual(['SuccessCriteriaMet', 'Complete']);
  }, 5000);
  const finished = (await pods.list()).items;
  expect(finished.map(({ metadata }) => metadata.finalizers)).toEqual([undefined, undefined, undefined]);
  expect(finished.map(({ spec }) => spec?.hostname).toSorted()).toEqual(['work-0', 'work-1', 'work-2']);
});

test('A Job that fails for good takes its other pods with it, and none is left undeletable', async () => {
  await using cluster = await startControllerCluster({ controllers: ['job-controller'] });
  const { client } = cluster;
  const jobs = client.batch.v1.jobs.namespace('default');
  const pods = client.core.v1.pods.namespace('default');
  await jobs.create(job({ completions: 2, parallelism: 2, backoffLimit: 0, completionMode: 'Indexed' }));
  await vi.waitFor(async () => expect((await jobs.get('work')).status.active).toBe(2), 5000);
  await finish(client, 'Failed', 'batch.kubernetes.io/job-completion-index=0');
  await vi.waitFor(async () => {
    const { status } = await jobs.get('work');
    expect(status.conditions?.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      'FailureTarget BackoffLimitExceeded',
      'Failed BackoffLimitExceeded',
    ]);
    expect(status).toMatchObject({ failed: 2, terminating: 0, ready: 0 });
  }, 5000);
  expect((await pods.list()).items.map(({ status }) => status?.phase)).toEqual(['Failed']);
});

test('Pods whose Job is gone can be deleted', async () => {
  await using cluster = await startControllerCluster({ controllers: ['job-controller'] });
  const { client } = cluster;
  const jobs = client.batch.v1.jobs.namespace('default');
  const pods = client.core.v1.pods.namespace('default');
  await jobs.create(job({ completions: 2, parallelism: 2 }));
  await vi.waitFor(async () => expect((await jobs.get('work')).status.active).toBe(2), 5000);
  await jobs.delete('work', { propagationPolicy: 'Background' });
  for (const { metadata } of (await pods.list()).items) await pods.delete(metadata.name!);
  await vi.waitFor(async () => expect((await pods.list()).items).toEqual([]), 5000);
});

test('A Job adopts the pods that its selector matches, and lets them go when they no longer do', async () => {
  await using cluster = await startControllerCluster({ controllers: ['job-controller'] });
  const { client } = cluster;
  const jobs = client.batch.v1.jobs.namespace('default');
  const pods = client.core.v1.pods.namespace('default');
  const labels = { app: 'work' };
  const spec: Input<Pod>['spec'] = { restartPolicy: 'Never', containers: [{ name: 'app', image: 'app:1' }] };
  await pods.create({ metadata: { name: 'early', namespace: 'default', labels }, spec });
  await jobs.create(
    job({ manualSelector: true, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } }),
  );
  await vi.waitFor(async () => {
    const { metadata } = await pods.get('early');
    expect(metadata.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`)).toEqual(['Job work']);
    expect(metadata.finalizers).toEqual(['batch.kubernetes.io/job-tracking']);
    expect((await jobs.get('work')).status.active).toBe(1);
  }, 5000);
  expect((await pods.list()).items).toHaveLength(1);
  await pods.patch('early', { merge: { metadata: { labels: { app: 'other' } } } });
  await vi.waitFor(async () => {
    const { metadata } = await pods.get('early');
    expect([metadata.ownerReferences, metadata.finalizers]).toEqual([undefined, undefined]);
    expect((await pods.list()).items).toHaveLength(2);
  }, 5000);
});

test('A Job whose pods are refused says so in an event, and has its pods when they no longer are', async () => {
  await using cluster = await startControllerCluster({ controllers: ['job-controller'] });
  const { client } = cluster;
  const quotas = client.core.v1.resourcequotas.namespace('default');
  const jobs = client.batch.v1.jobs.namespace('default');
  const events = client.core.v1.events.namespace('default');
  const allow = (count: string): Promise<unknown> =>
    quotas.status.patch('q', { merge: { status: { hard: { pods: count }, used: { pods: '0' } } } });
  await quotas.create({ metadata: { name: 'q', namespace: 'default' }, spec: { hard: { pods: '0' } } });
  await allow('0');
  await jobs.create(job({ completions: 2, parallelism: 2 }));
  await vi.waitFor(async () => {
    const { items } = await events.list({ fieldSelector: 'reason=FailedCreate' });
    expect(items[0]?.message).toMatch(/^Error creating: pods "work-.*" is forbidden: exceeded quota: q/);
  }, 5000);
  expect((await jobs.get('work')).status.active).toBeUndefined();
  await quotas.patch('q', { merge: { spec: { hard: { pods: '9' } } } });
  await allow('9');
  await vi.waitFor(async () => expect((await jobs.get('work')).status.active).toBe(2), 10_000);
});

test('A Job whose controller is replaced while its pods end makes and counts each pod once', async () => {
  await using cluster = await startControllerCluster({ controllers: ['job-controller'] });
  const { client } = cluster;
  const jobs = client.batch.v1.jobs.namespace('default');
  await jobs.create(job({ completions: 12, parallelism: 4 }));
  await vi.waitFor(async () => expect((await jobs.get('work')).status.active).toBe(4), 5000);
  await finish(client, 'Succeeded');
  await vi.waitFor(async () => {
    const { succeeded, uncountedTerminatedPods } = (await jobs.get('work')).status;
    expect((succeeded ?? 0) + (uncountedTerminatedPods?.succeeded?.length ?? 0)).toBeGreaterThan(0);
  }, 5000);
  await cluster.manager.stop();
  const generic = { ...defaultControllerManagerOptions.generic, controllers: ['job-controller'] };
  await using _ = startControllers({
    clientFor: () => client,
    options: { ...defaultControllerManagerOptions, generic },
  });
  await vi.waitFor(async () => {
    await finish(client, 'Succeeded');
    expect((await jobs.get('work')).status).toMatchObject({ succeeded: 12, uncountedTerminatedPods: {} });
  }, 10_000);
  expect((await client.core.v1.pods.namespace('default').list()).items).toHaveLength(12);
});
