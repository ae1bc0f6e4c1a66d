import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { timeLimit } from './time-limit.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('A limit among other signals lasts, whatever the garbage collector takes', async () => {
  const stop = new AbortController();
  let reached = 0;
  const begin = (): void =>
    AbortSignal.any([stop.signal, timeLimit(50)]).addEventListener('abort', () => void reached++);
  for (let i = 0; i < 20; i++) begin();
  for (let i = 0; i < 100 && reached < 20; i++) {
    collectGarbage();
    await pause(20);
  }
  expect(reached).toBe(20);
});

test('Its reason is that of a timeout', async () => {
  const signal = timeLimit(1);
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
});
