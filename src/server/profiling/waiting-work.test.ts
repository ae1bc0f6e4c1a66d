import { expect, test } from 'vitest';
import { waitingWork } from './waiting-work.ts';

const never = new AbortController().signal;

test('What the event loop waits for is shown by its type at once', async () => {
  const timers = [1, 2].map(() => setTimeout(() => undefined, 1e6));
  try {
    const { samples } = await waitingWork(0, never);
    const timeouts = [...samples].find(({ stack }) => stack[0]!.functionName === 'Timeout')!;
    expect(timeouts.values[0]).toBeGreaterThanOrEqual(2);
    expect(timeouts.stack.map(({ functionName }) => functionName)).toEqual(['Timeout', 'event loop']);
  } finally {
    timers.forEach((timer) => clearTimeout(timer));
  }
});

test('Work that begins in the time and does not end is shown by where it began', async () => {
  const end = new AbortController();
  const profile = waitingWork(1e6, end.signal);
  const begun: unknown[] = [];
  function beginWork(): void {
    begun.push(new Promise(() => undefined));
  }
  beginWork();
  beginWork();
  await Promise.resolve();
  end.abort();
  const { samples } = await profile;
  const found = [...samples].find(({ stack }) => stack.some(({ functionName }) => functionName === 'beginWork'))!;
  expect(found.values).toEqual([1]);
  expect(found.stack[0]!.functionName).toBe('PROMISE');
});
