import { expect, test, vi } from 'vitest';
import type { Job } from '../../../src/api/gen/types/batch-v1.ts';
import { FakeClock } from '../../../src/base/testing/fake-clock.ts';
import type { Client, Input } from '../../../src/client/index.ts';
import { formatMs } from '../../../src/controllers/shared/times.ts';
import { type ControllerCluster, startControllerCluster } from './controller-cluster.ts';

interface TimedCluster extends AsyncDisposable {
  readonly client: Client;
  /** Milliseconds since 1970, as the controllers see it. */
  nowMs(): number;
  /** Moves the time of the controllers. */
  advance(seconds: number): Promise<void>;
}

/** Controllers whose time stands still until the test moves it. */
async function startTimedCluster(...controllers: string[]): Promise<TimedCluster> {
  const clock = new FakeClock();
  const startMs = Date.now();
  const nowMs = (): number => startMs + clock.now();
  const cluster: ControllerCluster = await startControllerCluster({ controllers, clock, wallTime: nowMs });
  return {
    client: cluster.client,
    nowMs,
    advance: (seconds) => clock.advance(seconds * 1000),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

const work = (spec: Partial<Input<Job>['spec']> = {}): Input<Job> => ({
  metadata: { name: 'work', namespace: 'default' },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'app:1' }] } }, ...spec },
});

/** Ends the pods that are pending, now. */
async function failPods({ client, nowMs }: TimedCluster): Promise<void> {
  const pods = client.core.v1.pods.namespace('default');
  for (const { metadata, status } of (await pods.list()).items) {
    if (status?.phase !== 'Pending') continue;
    const terminated = { exitCode: 1, finishedAt: formatMs(nowMs()) };
    const containerStatuses = [{ name: 'app', state: { terminated } }];
    await pods.status.patch(metadata.name!, { strategic: { status: { phase: 'Failed', containerStatuses } } });
  }
}

test('A Job makes the next pod 10 s after a failure, and 20 s after the second one', async () => {
  await using cluster = await startTimedCluster('job-controller');
  const { client, advance } = cluster;
  const jobs = client.batch.v1.jobs.namespace('default');
  const pods = client.core.v1.pods.namespace('default');
  await jobs.create(work());
  await vi.waitFor(async () => expect((await jobs.get('work')).status.active).toBe(1), 5000);
  for (const [failed, seconds] of [
    [1, 10],
    [2, 20],
  ] as const) {
    await failPods(cluster);
    await vi.waitFor(async () => {
      // The time stays well before the end of the delay, however often it is moved.
      await advance(0.05);
      expect((await jobs.get('work')).status).toMatchObject({ failed, uncountedTerminatedPods: {} });
    }, 6000);
    await advance(seconds / 4);
    expect((await pods.list()).items).toHaveLength(failed);
    await advance(seconds);
    await vi.waitFor(async () => expect((await jobs.get('work')).status.active).toBe(1), 5000);
    expect((await pods.list()).items).toHaveLength(failed + 1);
  }
});

test('A Job fails when its time is over, an hour after its start', async () => {
  await using cluster = await startTimedCluster('job-controller');
  const { client, advance } = cluster;
  const jobs = client.batch.v1.jobs.namespace('default');
  await jobs.create(work({ activeDeadlineSeconds: 3600 }));
  await vi.waitFor(async () => expect((await jobs.get('work')).status.active).toBe(1), 5000);
  await advance(3000);
  expect((await jobs.get('work')).status.active).toBe(1);
  await advance(700);
  await vi.waitFor(async () => {
    await advance(1);
    const { conditions = [] } = (await jobs.get('work')).status;
    expect(conditions.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      'FailureTarget DeadlineExceeded',
      'Failed DeadlineExceeded',
    ]);
  }, 5000);
});

test('A Job that is over is deleted a day later, when its TTL is a day', async () => {
  await using cluster = await startTimedCluster('ttl-after-finished-controller');
  const { client, advance, nowMs } = cluster;
  const jobs = client.batch.v1.jobs.namespace('default');
  const isDeleted = async (): Promise<boolean> => (await jobs.get('work')).metadata.deletionTimestamp !== undefined;
  await jobs.create(work({ ttlSecondsAfterFinished: 86_400 }));
  const time = formatMs(nowMs());
  const conditions = ['FailureTarget', 'Failed'].map((type) => ({ type, status: 'True', lastTransitionTime: time }));
  await jobs.status.patch('work', { merge: { status: { startTime: time, conditions } } });
  await vi.waitFor(async () => {
    await advance(60);
    expect(await isDeleted()).toBe(false);
  }, 5000);
  await vi.waitFor(async () => {
    await advance(86_400);
    expect(await isDeleted()).toBe(true);
  }, 5000);
});
