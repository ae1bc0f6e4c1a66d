import { expect, test } from 'vitest';
import { StorageVersionBarrier } from './storage-version-barrier.ts';

const pods = { group: '', resource: 'pods' };
const jobs = { group: 'batch', resource: 'jobs' };

test('Resources are pending until their storage versions are written, and failures are known until then', async () => {
  const barrier = new StorageVersionBarrier(['core.pods', 'batch.jobs']);
  barrier.written('core.pods');
  barrier.failed('batch.jobs', new Error('the store is away'));
  expect([barrier.isPending(pods), barrier.isPending(jobs), barrier.isDone]).toEqual([false, true, false]);
  expect(barrier.lastError(jobs)).toBe('the store is away');
  barrier.written('batch.jobs');
  await barrier.done;
  expect([barrier.isPending(jobs), barrier.isDone, barrier.lastError(jobs)]).toEqual([false, true, undefined]);
});

test('What has no storage version is not pending', () => {
  expect(new StorageVersionBarrier(['core.pods']).isPending({ group: 'example.com', resource: 'pods' })).toBe(false);
});
