import { expect, test, vi } from 'vitest';
import type { Job } from '../../../src/api/gen/types/batch-v1.ts';
import type { Client, Input } from '../../../src/client/index.ts';
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
