import { describe, expect, test, vi } from 'vitest';
import type { Store } from '../../src/storage/interface.ts';
import { StorageError } from '../../src/storage/storage-error.ts';
import { startTestServer } from '../support/test-server.ts';

const check = '/readyz/poststarthook/storage-readiness';
const gate = '--feature-gates=WatchCacheInitializationPostStartHook=true';

/** A store whose leases are not listed before they are released. */
function heldStore(): { wrap: (store: Store) => Store; release: () => void } {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const wrap = (store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        if (name === 'list')
          return async (...args: Parameters<Store['list']>) => (
            args[0] === '/registry/leases/' && (await released), target.list(...args)
          );
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
  return { wrap, release };
}

describe('--storage-initialization-timeout, with the gate WatchCacheInitializationPostStartHook', () => {
  test('A server is not ready before its watch caches are filled, including those that were not used yet', async () => {
    const { wrap, release } = heldStore();
    await using server = await startTestServer({ wrap, flags: [gate] });
    expect((await server.send('GET', check)).status).toBe(500);
    expect((await server.send('GET', '/readyz')).text).toContain('[-]poststarthook/storage-readiness failed');
    release();
    await vi.waitFor(async () => expect((await server.send('GET', check)).status).toBe(200), {
      timeout: 20_000,
      interval: 20,
    });
  });

  test('When the storage initialization timeout is over the server goes on without the caches', async () => {
    const { wrap, release } = heldStore();
    await using server = await startTestServer({ wrap, flags: [gate, '--storage-initialization-timeout=0s'] });
    await vi.waitFor(async () => expect((await server.send('GET', check)).status).toBe(200), {
      timeout: 20_000,
      interval: 20,
    });
    release();
  });

  test('Without its gate there is no check of storage initialization', async () => {
    await using server = await startTestServer();
    expect((await server.send('GET', check)).status).toBe(404);
  });
});

/** A store that cannot list leases until it is restored. */
function brokenStore(): { wrap: (store: Store) => Store; restore: () => void; attempts: () => number } {
  let isBroken = true;
  let attempts = 0;
  const fail = (): Promise<never> => {
    attempts++;
    return Promise.reject(new StorageError('Unavailable', 'the store is away'));
  };
  const wrap = (store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        if (name === 'list')
          return (...args: Parameters<Store['list']>) =>
            isBroken && args[0] === '/registry/leases/' ? fail() : target.list(...args);
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
  return { wrap, restore: () => void (isBroken = false), attempts: () => attempts };
}

test('With ResilientWatchCacheInitialization=false a request waits while the store is away', async () => {
  const { wrap, restore, attempts } = brokenStore();
  const flags = ['--feature-gates=ResilientWatchCacheInitialization=false'];
  await using server = await startTestServer({ wrap, flags });
  const waiting = server.send('GET', '/apis/coordination.k8s.io/v1/namespaces/default/leases');
  await vi.waitFor(() => expect(attempts()).toBeGreaterThan(1), { timeout: 20_000, interval: 20 });
  restore();
  expect((await waiting).status).toBe(200);
});
