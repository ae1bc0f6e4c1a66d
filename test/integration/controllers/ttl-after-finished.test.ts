import { expect, test, vi } from 'vitest';
import type { JobSpec } from '../../../src/api/gen/types/batch-v1.ts';
import type { Input } from '../../../src/client/index.ts';
import { startControllerCluster } from './controller-cluster.ts';

test('Jobs that are over are deleted with their pods when their time has come, and no others', async () => {
  await using cluster = await startControllerCluster({ controllers: ['ttl-after-finished-controller'] });
  const jobs = cluster.client.batch.v1.jobs.namespace('default');
  const template: Input<JobSpec>['template'] = {
    spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'app:1' }] },
  };
  const create = (name: string, spec: Input<JobSpec>): Promise<unknown> =>
    jobs.create({ metadata: { name, namespace: 'default' }, spec: { template, ...spec } });
  const finish = (name: string): Promise<unknown> => {
    const time = new Date().toISOString().replace(/\.\d+/, '');
    const conditions = ['FailureTarget', 'Failed'].map((type) => ({ type, status: 'True', lastTransitionTime: time }));
    return jobs.status.patch(name, { merge: { status: { startTime: time, conditions } } });
  };
  await create('stays', {});
  await create('later', { ttlSecondsAfterFinished: 3600 });
  await create('running', { ttlSecondsAfterFinished: 0 });
  await create('over', { ttlSecondsAfterFinished: 0 });
  await create('shortened', {});
  for (const name of ['stays', 'later', 'over', 'shortened']) await finish(name);
  const deleted = async (): Promise<(string | undefined)[]> =>
    (await jobs.list()).items
      .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
      .map(({ metadata }) => `${metadata.name} ${metadata.finalizers?.join(',')}`);
  // The garbage collector, which does not run here, takes it from there.
  await vi.waitFor(async () => expect(await deleted()).toEqual(['over foregroundDeletion']), 5000);
  await jobs.patch('shortened', { merge: { spec: { ttlSecondsAfterFinished: 0 } } });
  await vi.waitFor(async () => expect(await deleted()).toHaveLength(2), 5000);
  expect(await deleted()).toEqual(['over foregroundDeletion', 'shortened foregroundDeletion']);
});
