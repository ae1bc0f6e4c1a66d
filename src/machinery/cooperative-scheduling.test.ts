import { expect, test } from 'vitest';
import { runToEnd, runCooperatively, CooperativeScheduler } from './cooperative-scheduling.ts';

/** Each step takes a whole time slice. */
function* steps(count: number, seen: string[]): Generator<void, string> {
  for (let i = 0; i < count; i++) {
    const end = performance.now() + 25;
    while (performance.now() < end);
    seen.push(`step ${i}`);
    yield;
  }
  return 'result';
}

test('The event loop runs between long steps', async () => {
  const seen: string[] = [];
  setImmediate(() => seen.push('other'));
  expect(await runCooperatively(steps(2, seen))).toBe('result');
  expect(seen).toEqual(['step 0', 'other', 'step 1']);
});

test('A request that is read in one round is answered in the next', async () => {
  const seen: string[] = [];
  setImmediate(() => setImmediate(() => seen.push('answer')));
  await runCooperatively(steps(2, seen));
  expect(seen).toEqual(['step 0', 'answer', 'step 1']);
});

test('The event loop runs in the middle of work that is awaited', async () => {
  const seen: string[] = [];
  setImmediate(() => seen.push('other'));
  const scheduler = new CooperativeScheduler();
  for (const _ of steps(2, seen)) await scheduler.next();
  expect(seen).toEqual(['step 0', 'other', 'step 1']);
});

test('Work that is run synchronously does not yield', () => {
  const seen: string[] = [];
  setImmediate(() => seen.push('other'));
  expect(runToEnd(steps(2, seen))).toBe('result');
  expect(seen).toEqual(['step 0', 'step 1']);
});
