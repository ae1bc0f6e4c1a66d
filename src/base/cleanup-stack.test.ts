import { expect, test } from 'vitest';
import { withCleanupStack } from './cleanup-stack.ts';

test('what was opened is closed in reverse when a later step fails, each after the other, and the failure is told', async () => {
  const steps: string[] = [];
  const start = withCleanupStack(async (cleanup) => {
    cleanup.add(() => void steps.push('first'));
    cleanup.add(async () => {
      await Promise.resolve();
      steps.push('second');
    });
    cleanup.add(() => Promise.reject(new Error('it does not close')));
    await Promise.resolve();
    throw new Error('no port');
  });
  await expect(start).rejects.toThrow('no port');
  expect(steps).toEqual(['second', 'first']);
});

test('nothing is closed when the start succeeds', async () => {
  const steps: string[] = [];
  expect(
    await withCleanupStack((cleanup) => {
      cleanup.add(() => void steps.push('closed'));
      return Promise.resolve(1);
    }),
  ).toBe(1);
  expect(steps).toEqual([]);
});
