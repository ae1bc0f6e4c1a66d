import { expect, test, vi } from 'vitest';
import { HookProgress } from './hook-progress.ts';

const never = new AbortController().signal;
const gone = AbortSignal.abort();

const checkOf = (progress: HookProgress, name: string, signal = never) =>
  (async () => progress.checks.find((check) => check.name === name)!.check(signal))();

test('A hook is healthy from the moment it is done', async () => {
  const progress = new HookProgress(new Set());
  const name = 'poststarthook/crd-informer-synced';
  await expect(checkOf(progress, name)).rejects.toThrow('not finished');
  progress.done(name);
  await expect(checkOf(progress, name)).resolves.toBeUndefined();
});

test('A probe waits for what comes after the first requests, and not when its client is gone', async () => {
  const progress = new HookProgress(new Set());
  const name = 'autoregister-completion';
  await expect(checkOf(progress, name, gone)).rejects.toThrow('not finished');
  const waiting = checkOf(progress, name);
  progress.done(name);
  await expect(waiting).resolves.toBeUndefined();
});

test('Hooks that a server does not have are not listed', () => {
  const names = new HookProgress(new Set(['poststarthook/storage-readiness'] as const)).checks.map(({ name }) => name);
  expect(names).not.toContain('poststarthook/storage-readiness');
  expect(new Set(names).size).toBe(names.length);
});

test('Late hooks hold up probes for half a second in all, and not each of them', async () => {
  vi.useFakeTimers();
  try {
    const late = new HookProgress(new Set()).checks.filter(({ name }) => lateNames.includes(name));
    const failed = Promise.allSettled(late.map(async ({ check }) => check(AbortSignal.timeout(60_000))));
    await vi.advanceTimersByTimeAsync(500);
    expect((await failed).map(({ status }) => status)).toEqual(lateNames.map(() => 'rejected'));
    for (const { check } of late) await expect(check(AbortSignal.timeout(60_000))).rejects.toThrow('not finished');
  } finally {
    vi.useRealTimers();
  }
});

const lateNames = [
  'poststarthook/rbac/bootstrap-roles',
  'poststarthook/priority-and-fairness-config-consumer',
  'poststarthook/priority-and-fairness-config-producer',
  'autoregister-completion',
];
