import { expect, test } from 'vitest';
import { CleanupStack } from '../../base/cleanup-stack.ts';
import { silentLogger } from '../../base/logger.ts';
import { Lifecycle } from '../../server/lifecycle.ts';
import type { ServingPort } from '../../server/serving-port.ts';
import type { SharedDependencies } from './shared-dependencies.ts';
import type { Hooks } from './post-start-hooks.ts';
import { createShutdown } from './shutdown.ts';

interface Ending {
  readonly steps: string[];
  readonly lifecycle: Lifecycle;
  readonly cleanup: CleanupStack;
  readonly close: () => Promise<void>;
}

function ending(): Ending {
  const steps: string[] = [];
  const cleanup = new CleanupStack();
  const lifecycle = new Lifecycle();
  const serving = { shutdown: { delayMs: 0, sendRetryAfter: false, watchGraceMs: 0 }, requestTimeoutMs: 60_000 };
  const withdraw = (): Promise<void> => Promise.resolve(void steps.push('withdrawn'));
  const close = createShutdown(
    { config: { serving, log: silentLogger }, lifecycle } as unknown as SharedDependencies,
    { services: { stop: withdraw } } as unknown as Hooks,
    { leave: () => void steps.push('left') } as unknown as ServingPort,
    cleanup,
  );
  return { steps, lifecycle, cleanup, close };
}

test('A server closes what it has opened, the last first, after its clients were let go', async () => {
  const { steps, lifecycle, cleanup, close } = ending();
  cleanup.add(() => void steps.push('audit log closed'));
  cleanup.add(() => void steps.push('storages closed'));
  lifecycle.enter();
  const closed = close();
  setImmediate(() => {
    steps.push('request answered');
    lifecycle.leave();
  });
  await closed;
  expect(steps).toEqual(['withdrawn', 'left', 'request answered', 'left', 'storages closed', 'audit log closed']);
});

test('A part that cannot be closed keeps no other open, and the end of the server fails with its error', async () => {
  const { steps, cleanup, close } = ending();
  cleanup.add(() => void steps.push('audit log closed'));
  cleanup.add(() => Promise.reject(new Error('the storage does not close')));
  await expect(close()).rejects.toThrow('the storage does not close');
  expect(steps.at(-1)).toBe('audit log closed');
});
