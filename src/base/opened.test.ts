import { expect, test } from 'vitest';
import { openTogether } from './opened.ts';

test('what was opened is closed in reverse when a later step fails, each after the other, and the failure is told', async () => {
  const steps: string[] = [];
  const start = openTogether(async (opened) => {
    opened.add(() => void steps.push('first'));
    opened.add(async () => {
      await Promise.resolve();
      steps.push('second');
    });
    opened.add(() => Promise.reject(new Error('it does not close')));
    await Promise.resolve();
    throw new Error('no port');
  });
  await expect(start).rejects.toThrow('no port');
  expect(steps).toEqual(['second', 'first']);
});

test('nothing is closed when the start succeeds', async () => {
  const steps: string[] = [];
  expect(
    await openTogether((opened) => {
      opened.add(() => void steps.push('closed'));
      return Promise.resolve(1);
    }),
  ).toBe(1);
  expect(steps).toEqual([]);
});
