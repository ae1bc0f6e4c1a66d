import { describe, expect, test, vi } from 'vitest';
import type { WatchBatch } from '../interface.ts';
import { BatchQueue } from './batch-queue.ts';

function batch(revision: number, bytes: number): WatchBatch {
  return {
    revision,
    events: [{ type: 'put', key: '/k', value: Buffer.alloc(bytes), modRevision: revision, createRevision: revision }],
  };
}
const progress = (revision: number): WatchBatch => ({ revision, events: [] });
const megabyte = 1024 * 1024;

describe('the queue of a watch', () => {
  test('The queue of a watch hands over in order, to a consumer that waits and to one that comes later', async () => {
    const queue = new BatchQueue(() => {});
    const waiting = queue.take();
    queue.push(batch(1, 1));
    queue.push(batch(2, 1));
    expect((await waiting).value?.revision).toBe(1);
    expect((await queue.take()).value?.revision).toBe(2);
  });

  test('The queue of a watch pauses its source when much waits, until half of that is taken', async () => {
    const setPaused = vi.fn();
    const queue = new BatchQueue(setPaused);
    for (let revision = 1; revision <= 4; revision++) queue.push(batch(revision, 0.3 * megabyte));
    expect(setPaused.mock.calls).toEqual([[true]]);
    queue.push(batch(5, 0.3 * megabyte));
    await queue.take();
    await queue.take();
    await queue.take();
    expect(setPaused.mock.calls).toEqual([[true]]);
    await queue.take();
    expect(setPaused.mock.calls).toEqual([[true], [false]]);
  });

  test('The queue of a watch does not pause for what is taken at once', async () => {
    const setPaused = vi.fn();
    const queue = new BatchQueue(setPaused);
    const waiting = queue.take();
    queue.push(batch(1, 5 * megabyte));
    await waiting;
    expect(setPaused).not.toHaveBeenCalled();
  });

  test('The queue of a watch keeps only the newest of several progress marks', async () => {
    const queue = new BatchQueue(() => {});
    for (const one of [batch(1, 1), progress(2), progress(3), batch(4, 1), progress(5)]) queue.push(one);
    const seen = [];
    for (let i = 0; i < 4; i++) seen.push((await queue.take()).value?.revision);
    expect(seen).toEqual([1, 3, 4, 5]);
  });

  test('The queue of a watch ends after what waits, with an error that is told once', async () => {
    const queue = new BatchQueue(() => {});
    queue.push(batch(1, 1));
    queue.end(new Error('gone'));
    queue.push(batch(2, 1));
    expect((await queue.take()).value?.revision).toBe(1);
    await expect(queue.take()).rejects.toThrow('gone');
    expect(await queue.take()).toEqual({ done: true, value: undefined });
  });

  test('The queue of a watch that is discarded ends without what waits, also when it had failed before', async () => {
    const queue = new BatchQueue(() => {});
    queue.push(batch(1, 1));
    queue.end(new Error('gone'));
    queue.discard();
    expect(queue.ended).toBe(true);
    expect(await queue.take()).toEqual({ done: true, value: undefined });
  });

  test('The queue of a watch wakes a waiting consumer when it ends', async () => {
    const failing = new BatchQueue(() => {});
    const rejected = expect(failing.take()).rejects.toThrow('gone');
    failing.end(new Error('gone'));
    await rejected;
    const ending = new BatchQueue(() => {});
    const done = ending.take();
    ending.discard();
    expect(await done).toEqual({ done: true, value: undefined });
  });
});
