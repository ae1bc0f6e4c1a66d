import { expect, test, vi } from 'vitest';
import type { CronJob } from '../../../src/api/gen/types/batch-v1.ts';
import { FakeClock } from '../../../src/base/testing/fake-clock.ts';
import type { Client, Input } from '../../../src/client/index.ts';
import { startControllerCluster } from './controller-cluster.ts';

const cronJob = (spec: Input<CronJob>['spec'], name = 'tick'): Input<CronJob> => ({
  metadata: { name, namespace: 'default' },
  spec: {
    schedule: '* * * * *',
    jobTemplate: {
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'app:1' }] } } },
    },
    ...spec,
  },
});

const secondsAgo = (seconds: number): string =>
  new Date(Date.now() - seconds * 1000).toISOString().replace(/\.\d+/, '');

/** Makes a time of the schedule due: the last one was some time ago. */
async function makeDue(client: Client, name = 'tick'): Promise<void> {
  const cronJobs = client.batch.v1.cronjobs.namespace('default');
  await cronJobs.status.patch(name, { merge: { status: { lastScheduleTime: secondsAgo(90) } } });
  await cronJobs.patch(name, { merge: { spec: { suspend: false } } });
}

test('A CronJob starts a Job, sees its end and forgets it when there are newer ones', async () => {
  await using cluster = await startControllerCluster({ controllers: ['cronjob-controller'] });
  const { client } = cluster;
  const cronJobs = client.batch.v1.cronjobs.namespace('default');
  const jobs = client.batch.v1.jobs.namespace('default');
  await cronJobs.create(cronJob({ suspend: true, successfulJobsHistoryLimit: 0 }));
  await makeDue(client);
  const name = await vi.waitFor(async () => {
    const { active = [] } = (await cronJobs.get('tick')).status;
    expect(active).toHaveLength(1);
    return active[0]!.name!;
  }, 5000);
  await cronJobs.patch('tick', { merge: { spec: { suspend: true } } });
  const { metadata } = await jobs.get(name);
  expect(metadata.ownerReferences).toMatchObject([{ kind: 'CronJob', name: 'tick', controller: true }]);
  const completionTime = secondsAgo(0);
  const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, status: 'True' }));
  await jobs.status.patch(name, { merge: { status: { startTime: completionTime, completionTime, conditions } } });
  await vi.waitFor(async () => {
    const { active, lastSuccessfulTime } = (await cronJobs.get('tick')).status;
    expect({ active, lastSuccessfulTime }).toEqual({ active: undefined, lastSuccessfulTime: completionTime });
    expect((await jobs.list()).items).toEqual([]);
  }, 5000);
});

test('A Job that was made by a controller that could not tell of it is taken up', async () => {
  await using cluster = await startControllerCluster({ controllers: ['cronjob-controller'] });
  const { client } = cluster;
  const cronJobs = client.batch.v1.cronjobs.namespace('default');
  const jobs = client.batch.v1.jobs.namespace('default');
  await cronJobs.create(cronJob({ suspend: true }));
  await makeDue(client);
  await vi.waitFor(async () => expect((await cronJobs.get('tick')).status.active).toHaveLength(1), 5000);
  const [made] = (await jobs.list()).items;
  await cronJobs.patch('tick', { merge: { spec: { suspend: true } } });
  await cronJobs.status.patch('tick', { merge: { status: { active: null } } });
  await makeDue(client);
  await vi.waitFor(async () => {
    const { active = [] } = (await cronJobs.get('tick')).status;
    expect(active.map(({ uid }) => uid)).toContain(made!.metadata.uid);
  }, 5000);
});

test('CronJobs that are due together each have their Job', async () => {
  await using cluster = await startControllerCluster({ controllers: ['cronjob-controller'] });
  const { client } = cluster;
  const names = Array.from({ length: 30 }, (_, i) => `tick-${i}`);
  const cronJobs = client.batch.v1.cronjobs.namespace('default');
  await Promise.all(names.map((name) => cronJobs.create(cronJob({ suspend: true }, name))));
  await Promise.all(names.map((name) => makeDue(client, name)));
  await vi.waitFor(async () => {
    const { items } = await client.batch.v1.jobs.namespace('default').list();
    expect(new Set(items.map(({ metadata }) => metadata.ownerReferences![0]!.name))).toEqual(new Set(names));
  }, 8000);
});

test('A clock that is set forward starts what is due then, and one that is set back starts nothing again', async () => {
  const clock = new FakeClock();
  let wallMs = Date.now();
  await using cluster = await startControllerCluster({
    controllers: ['cronjob-controller'],
    clock,
    wallTime: () => wallMs + clock.now(),
  });
  const { client } = cluster;
  const cronJobs = client.batch.v1.cronjobs.namespace('default');
  const jobs = client.batch.v1.jobs.namespace('default');
  const events = client.core.v1.events.namespace('default');
  await cronJobs.create(cronJob({ schedule: '0 0 1 1 *', timeZone: 'Etc/UTC' }));
  // An event about another one tells that the informer has told of both.
  await cronJobs.create(cronJob({ schedule: '0 0 31 2 *' }, 'never'));
  await vi.waitFor(async () => expect((await events.list()).items).toHaveLength(1), 5000);
  const newYearMs = Date.UTC(new Date().getUTCFullYear() + 1, 0, 1);
  wallMs = newYearMs + 5000 - clock.now();
  await clock.advance(10_000);
  await vi.waitFor(async () => {
    const { items } = await jobs.list();
    expect(items.map(({ metadata }) => metadata.name)).toEqual([`tick-${newYearMs / 60_000}`]);
    expect((await cronJobs.get('tick')).status.active).toHaveLength(1);
  }, 5000);
  wallMs = newYearMs - 5000 - clock.now();
  await clock.advance(10_000);
  await clock.advance(10_000);
  expect((await jobs.list()).items).toHaveLength(1);
});
