import { expect, test } from 'vitest';
import { WorkQueue, type WorkQueueOptions } from './work-queue.ts';
import { FakeClock } from '../base/testing/fake-clock.ts';

const setUp = (run: WorkQueueOptions['run'], maxRunning = 10, more: Pick<WorkQueueOptions, 'observer'> = {}) => {
  const clock = new FakeClock();
  const failures: [string, unknown][] = [];
  const work = new WorkQueue({
    run,
    onFailure: (key, error) => failures.push([key, error]),
    maxRunning,
    firstRetryMs: 10,
    maxRetryMs: 35,
    clock,
    ...more,
  });
  return { clock, work, failures };
};

test('what failed is tried again after pauses that grow to an end, and begin anew when it went well', async () => {
  const at: number[] = [];
  let fails = 5;
  const { clock, work, failures } = setUp(() => {
    at.push(clock.now());
    if (fails-- > 0) throw new Error('no');
    return Promise.resolve(100);
  });
  work.add('a');
  await clock.advance(124);
  expect(at).toEqual([0, 10, 30, 65, 100]);
  expect(failures[0]).toEqual(['a', new Error('no')]);
  await clock.advance(11);
  fails = 1;
  await clock.advance(110);
  expect(at.slice(5)).toEqual([135, 235, 245]);
  await work.stop();
  expect(clock.pending).toBe(0);
});

test('a key is worked on by one at a time; being asked meanwhile leads to one more', async () => {
  const ends: (() => void)[] = [];
  const { clock, work } = setUp(() => new Promise((resolve) => ends.push(() => resolve(undefined))));
  work.add('a');
  work.add('a');
  work.add('a');
  await clock.advance(0);
  expect(ends).toHaveLength(1);
  ends[0]!();
  await clock.advance(1000);
  expect(ends).toHaveLength(2);
  ends[1]!();
  await clock.advance(1000);
  expect(ends).toHaveLength(2);
});

test('no more keys are worked on at once than the limit, and one that hangs does not delay the others', async () => {
  const order: string[] = [];
  const { clock, work } = setUp((key, signal) => {
    order.push(key);
    return key === 'hangs'
      ? new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined)))
      : Promise.resolve(undefined);
  }, 2);
  for (const key of ['hangs', 'b', 'c', 'd']) work.add(key);
  expect(order).toEqual(['hangs', 'b']);
  await clock.advance(0);
  expect(order).toEqual(['hangs', 'b', 'c', 'd']);
  await work.stop();
  work.add('e');
  expect(order).toHaveLength(4);
});

test('asking takes the place of the pause', async () => {
  let runs = 0;
  const { clock, work } = setUp(() => Promise.resolve(++runs < 3 ? 50 : undefined));
  work.add('a');
  await clock.advance(20);
  work.add('a');
  await clock.advance(0);
  await clock.advance(49);
  expect(runs).toBe(2);
  await clock.advance(1);
  expect([runs, clock.pending]).toEqual([3, 0]);
});

test('who looks on is told when a key waits, is worked on, is done, and is tried again', async () => {
  const seen: string[] = [];
  const observer = {
    waits: () => {
      seen.push('waits');
      return () => {
        seen.push('begins');
        return () => void seen.push('ends');
      };
    },
    retries: () => void seen.push('retries'),
  };
  let fails = 1;
  const { clock, work } = setUp(() => (fails-- > 0 ? Promise.reject(new Error('no')) : Promise.resolve(undefined)), 1, {
    observer,
  });
  work.add('a');
  work.add('b');
  expect(seen).toEqual(['waits', 'begins', 'waits']);
  await clock.advance(0);
  await clock.advance(100);
  expect(seen.filter((event) => event === 'retries')).toEqual(['retries']);
  expect(['waits', 'begins', 'ends'].map((event) => seen.filter((each) => each === event).length)).toEqual([3, 3, 3]);
  await work.stop();
});
