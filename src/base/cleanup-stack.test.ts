import { expect, test } from 'vitest';
import { withCleanupStack } from './cleanup-stack.ts';

test('when a step fails, what was opened is closed one by one in reverse, and the failure is thrown', async () => {
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
