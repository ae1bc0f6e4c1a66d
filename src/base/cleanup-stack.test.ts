import { describe, expect, test } from 'vitest';
import { CleanupStack, withCleanupStack } from './cleanup-stack.ts';

test('When a step fails, what was opened is closed one by one in reverse, and the failure is thrown', async () => {
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

test('Nothing is closed when the start succeeds', async () => {
  const steps: string[] = [];
  expect(
    await withCleanupStack((cleanup) => {
      cleanup.add(() => void steps.push('closed'));
      return Promise.resolve(1);
    }),
  ).toBe(1);
  expect(steps).toEqual([]);
});

describe('a stack that is unwound at the end of what was started', () => {
  const failing = (message: string) => () => Promise.reject(new Error(message));

  test.each([
    ['the failure of one', ['no port'], 'no port'],
    ['what several failures have in common', ['first', 'second'], 'several parts could not be closed'],
  ])('A cleanup stack closes everything and then rejects with %s', async (_, failures, expected) => {
    const steps: string[] = [];
    const cleanup = new CleanupStack();
    cleanup.add(() => void steps.push('closed'));
    for (const message of failures) cleanup.add(failing(message));
    await expect(cleanup.close()).rejects.toThrow(expected);
    expect(steps).toEqual(['closed']);
  });

  test('A stack that is unwound at the end of what was started finds nothing left the second time', async () => {
    const steps: string[] = [];
    const cleanup = new CleanupStack();
    cleanup.add(() => void steps.push('closed'));
    await Promise.all([cleanup.close(), cleanup.close()]);
    expect(steps).toEqual(['closed']);
  });
});
