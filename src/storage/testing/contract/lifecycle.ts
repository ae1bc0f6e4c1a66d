import { describe, expect, onTestFinished, test } from 'vitest';
import type { ContractFixture } from './support.ts';

export function describeLifecycle(fixture: ContractFixture): void {
  describe('status', () => {
    test('The status of a store names the store and its size', async () => {
      const status = await fixture.store.status();
      expect(status.version).toMatch(/^(etcd \d+\.\d+\.\d+|embedded)/);
      expect(status.sizeBytes).toBeGreaterThan(0);
      expect(typeof status.soundProgress).toBe('boolean');
    });

    test('The status of a store can be had many times at once', async () => {
      const all = await Promise.all(Array.from({ length: 10 }, () => fixture.store.status()));
      expect(new Set(all.map((status) => status.version)).size).toBe(1);
    });
  });

  describe('a disposed store', () => {
    test('A disposed store ends its watches and refuses further calls', async () => {
      const under = await fixture.createAnew();
      onTestFinished(() => under[Symbol.asyncDispose]());
      const watch = fixture.watch('/a/', { after: await under.store.currentRevision(), store: under.store });
      await under.store[Symbol.asyncDispose]();
      await expect(watch.ended).rejects.toMatchObject({ name: 'StorageError', reason: 'Aborted' });
      await expect(under.store.get('/a/x')).rejects.toMatchObject({ name: 'StorageError', reason: 'Aborted' });
      await expect(under.store.create('/a/x', Buffer.from('x'))).rejects.toMatchObject({ reason: 'Aborted' });
    });

    test('A disposed store may be disposed twice', async () => {
      const under = await fixture.createAnew();
      onTestFinished(() => under[Symbol.asyncDispose]());
      await under.store[Symbol.asyncDispose]();
      await under.store[Symbol.asyncDispose]();
    });
  });
}
