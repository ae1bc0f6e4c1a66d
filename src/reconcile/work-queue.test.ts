import { describe, expect, test } from 'vitest';
import { FakeClock } from '../base/testing/fake-clock.ts';
import { ExponentialRateLimiter } from './rate-limiter.ts';
import { WorkQueue, type WorkQueueObserver } from './work-queue.ts';

function setUp(observer?: WorkQueueObserver) {
  const clock = new FakeClock();
  const rateLimiter = new ExponentialRateLimiter({ firstMs: 10, maxMs: 35 });
  return { clock, queue: new WorkQueue({ clock, rateLimiter, ...(observer === undefined ? {} : { observer }) }) };
}

/** Everything that can be taken now, each done at once. */
async function takeAll(queue: WorkQueue): Promise<string[]> {
  const keys: string[] = [];
  while (queue.length > 0) {
    const key = await queue.get();
    keys.push(key!);
    queue.done(key!);
  }
  return keys;
}

describe('a work queue', () => {
  test('A work queue gives keys in the order in which they were added, each once', async () => {
    const { queue } = setUp();
    for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
    expect(await takeAll(queue)).toEqual(['a', 'b', 'c']);
  });

  test('A work queue is fair: a key that is added again and again does not keep others waiting', async () => {
    const { queue } = setUp();
    for (const key of ['busy', 'b', 'c']) queue.add(key);
    const taken: string[] = [];
    for (let round = 0; round < 6; round++) {
      const key = (await queue.get())!;
      taken.push(key);
      queue.add('busy');
      queue.done(key);
    }
    expect(taken).toEqual(['busy', 'b', 'c', 'busy', 'busy', 'busy']);
  });

  test('A work queue gives a key to one worker at a time; a key added meanwhile comes once more', async () => {
    const { queue } = setUp();
    queue.add('a');
    expect(await queue.get()).toBe('a');
    queue.add('a');
    queue.add('a');
    expect(queue.length).toBe(0);
    queue.done('a');
    expect(await takeAll(queue)).toEqual(['a']);
    expect(queue.length).toBe(0);
  });

  test('A work queue gives keys to workers in the order in which they began to wait', async () => {
    const { queue } = setUp();
    const workers = [queue.get(), queue.get()];
    queue.add('a');
    queue.add('b');
    expect(await Promise.all(workers)).toEqual(['a', 'b']);
  });

  test('A work queue takes a long list of keys in linear time', async () => {
    const { queue } = setUp();
    const keys = Array.from({ length: 5000 }, (_, i) => `key-${i}`);
    for (const key of keys) queue.add(key);
    expect(await takeAll(queue)).toEqual(keys);
  });

  test('A work queue ignores the end of work on a key that was not taken', async () => {
    const { queue } = setUp();
    queue.done('a');
    queue.add('a');
    queue.done('a');
    expect(await takeAll(queue)).toEqual(['a']);
  });
});

describe('a delay of a key', () => {
  interface Row {
    readonly name: string;
    readonly act: (queue: WorkQueue, clock: FakeClock) => Promise<void> | void;
    /** When the key is taken, in milliseconds. */
    readonly at: readonly number[];
  }

  test.each<Row>([
    { name: 'ends when its time is over', act: (queue) => queue.addAfter('a', 50), at: [50] },
    { name: 'of nothing is none', act: (queue) => queue.addAfter('a', 0), at: [0] },
    {
      name: 'gives way to one that ends sooner',
      act(queue) {
        queue.addAfter('a', 50);
        queue.addAfter('a', 20);
        queue.addAfter('a', 70);
      },
      at: [20],
    },
    {
      name: 'stays when the key is added before',
      act(queue) {
        queue.addAfter('a', 50);
        queue.add('a');
      },
      at: [0, 50],
    },
    {
      name: 'for another look is dropped when the key is taken before',
      act(queue) {
        queue.requeueAfter('a', 50);
        queue.add('a');
      },
      at: [0],
    },
    {
      name: 'for another look replaces the one before',
      act(queue) {
        queue.requeueAfter('a', 20);
        queue.requeueAfter('a', 50);
      },
      at: [50],
    },
    {
      name: 'after failures doubles up to the longest one, and begins anew once the key is forgotten',
      async act(queue, clock) {
        for (let failure = 0; failure < 4; failure++) {
          queue.addRateLimited('a');
          await clock.advance(100);
        }
        expect(queue.numRequeues('a')).toBe(4);
        queue.forget('a');
        expect(queue.numRequeues('a')).toBe(0);
        queue.addRateLimited('a');
      },
      at: [10, 120, 235, 335, 410],
    },
    {
      name: 'ends when all delays do, and does not come again',
      async act(queue, clock) {
        queue.addAfter('a', 50);
        queue.requeueAfter('a', 60);
        await clock.advance(20);
        queue.endDelays();
      },
      at: [20],
    },
    {
      name: 'is dropped when the queue is shut down',
      act(queue) {
        queue.addAfter('a', 10);
        queue.addRateLimited('b');
        queue.shutDown();
        queue.addAfter('c', 10);
        queue.addRateLimited('d');
      },
      at: [],
    },
  ])('A delay of a key: $name', async ({ act, at }) => {
    const { queue, clock } = setUp();
    const taken: number[] = [];
    const worker = async (): Promise<void> => {
      for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
        taken.push(clock.now());
        queue.done(key);
      }
    };
    void worker();
    await act(queue, clock);
    await clock.advance(0);
    await clock.advance(200);
    expect(taken).toEqual(at);
    expect(clock.pending).toBe(0);
  });
});

describe('a work queue that is shut down', () => {
  test('A work queue that is shut down gives out keys that wait, takes no more, and ends its workers', async () => {
    const { queue } = setUp();
    queue.add('a');
    queue.shutDown();
    queue.add('b');
    expect(await queue.get()).toBe('a');
    expect(await queue.get()).toBeUndefined();
    expect(queue.isShuttingDown).toBe(true);
  });

  test('A work queue that is shut down tells workers that wait to end', async () => {
    const { queue } = setUp();
    const worker = queue.get();
    queue.shutDown();
    expect(await worker).toBeUndefined();
  });

  test('A work queue that is shut down with a drain ends when all keys have been worked on', async () => {
    const { queue } = setUp();
    queue.add('a');
    queue.add('b');
    await queue.get();
    queue.add('a');
    let isDrained = false;
    const drained = queue.shutDownWithDrain().then(() => (isDrained = true));
    queue.done('a');
    for (const key of ['b', 'a']) {
      expect([await queue.get(), isDrained]).toEqual([key, false]);
      queue.done(key);
    }
    await drained;
    expect(await queue.get()).toBeUndefined();
  });

  test('A work queue that is shut down with a drain ends at once when there is nothing', async () => {
    await setUp().queue.shutDownWithDrain();
  });
});

test('An observer is told when a key waits, is taken, is done, and is tried again', async () => {
  const seen: string[] = [];
  const { queue } = setUp({
    waits: () => {
      seen.push('waits');
      return () => {
        seen.push('taken');
        return () => void seen.push('done');
      };
    },
    retries: () => void seen.push('retries'),
  });
  queue.add('a');
  queue.add('a');
  await queue.get();
  queue.add('a');
  queue.addRateLimited('a');
  queue.done('a');
  expect(seen).toEqual(['waits', 'taken', 'retries', 'done', 'waits']);
});
