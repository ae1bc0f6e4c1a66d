/** The embedded store on a disk that is really full: a small file system in memory. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openEmbeddedStore } from '../../src/storage/embedded/open.ts';
import type { Store } from '../../src/storage/interface.ts';
import { createControlPlane } from '../../src/index.ts';
import { ApiClient } from '../support/api-client.ts';
import { freePorts } from '../support/ports.ts';
import { startOnStore } from '../support/store-server.ts';

const probe = mkdtempSync(path.join(tmpdir(), 'orch-mount-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', probe]);
const cannotMount = mounted.status === 0 ? undefined : 'mounting a file system takes root';
if (cannotMount === undefined) spawnSync('umount', [probe]);
rmSync(probe, { recursive: true });

const configMaps = '/api/v1/namespaces/default/configmaps';

const value = (i: number): Buffer => Buffer.alloc(3_000, String(i % 10));

interface SmallDisk {
  readonly path: string;
  resize(size: string): void;
}

function mountSmallDisk(size: string): SmallDisk {
  const mountPoint = mkdtempSync(path.join(tmpdir(), 'orch-disk-'));
  const run = (command: string, ...args: string[]): void => {
    const { status, stderr } = spawnSync(command, args);
    if (status !== 0) throw new Error(`${command} failed: ${stderr.toString()}`);
  };
  run('mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', mountPoint);
  onTestFinished(() => {
    run('umount', mountPoint);
    rmSync(mountPoint, { recursive: true });
  });
  return { path: mountPoint, resize: (larger) => run('mount', '-o', `remount,size=${larger}`, mountPoint) };
}

/** Writes until the store has no more space; tells how many writes were acknowledged. */
async function fill(store: Store, prefix: string): Promise<number> {
  for (let i = 0; ; i++) {
    try {
      await store.create(`${prefix}${String(i).padStart(5, '0')}`, value(i));
    } catch (error) {
      expect(error).toMatchObject({
        name: 'StorageError',
        reason: 'NoSpace',
        message: expect.stringContaining('no space is left on the disk'),
      });
      return i;
    }
  }
}

async function expectFilled(store: Store, prefix: string, count: number): Promise<void> {
  const { kvs } = await store.list(prefix);
  expect(kvs.length).toBe(count);
  kvs.forEach((kv, i) => expect(kv.value.equals(value(i))).toBe(true));
}

describe.skipIf(cannotMount !== undefined)(
  `a full disk${cannotMount === undefined ? '' : ` (skipped: ${cannotMount})`}`,
  () => {
    beforeEach(() => {
      // lmdb-js reports a failed commit there too.
      vi.spyOn(console, 'error').mockImplementation(() => {});
    });
    afterEach(() => {
      vi.restoreAllMocks();
    });

    test('A full disk fails writes, not reads, and writes succeed again when there is space', {
      timeout: 60_000,
    }, async () => {
      const disk = mountSmallDisk('4m');
      const directory = path.join(disk.path, 'data');
      const store = await openEmbeddedStore({ directory });
      try {
        const count = await fill(store, '/k/');
        expect(count).toBeGreaterThan(200);
        const revision = await store.currentRevision();
        await expectFilled(store, '/k/', count);
        await expect(store.update('/k/00000', value(1), 2)).rejects.toMatchObject({ reason: 'NoSpace' });
        await expect(store.grantLease(10)).rejects.toMatchObject({ reason: 'NoSpace' });
        expect(await store.update('/k/00000', value(1), 1)).toMatchObject({
          applied: false,
          current: { modRevision: 2 },
        });
        const many = await Promise.allSettled(
          Array.from({ length: 50 }, (_, i) => store.create(`/many/${i}`, value(i))),
        );
        for (const result of many) expect(result).toMatchObject({ status: 'rejected', reason: { reason: 'NoSpace' } });
        expect(await store.currentRevision()).toBe(revision);
        expect((await store.list('/many/')).count).toBe(0);
        await expectFilled(store, '/k/', count);

        disk.resize('16m');
        expect(await store.create('/after', value(0))).toEqual({ revision: revision + 1 });
        await store[Symbol.asyncDispose]();
        await using again = await openEmbeddedStore({ directory });
        await expectFilled(again, '/k/', count);
        expect((await again.get('/after')).kv?.modRevision).toBe(revision + 1);
      } finally {
        await store[Symbol.asyncDispose]();
      }
    });

    test('A full disk survives being filled by others again and again', { timeout: 60_000 }, async () => {
      const disk = mountSmallDisk('6m');
      const directory = path.join(disk.path, 'data');
      const counts: number[] = [];
      for (let round = 0; round < 4; round++) {
        await using store = await openEmbeddedStore({ directory });
        for (const [i, count] of counts.entries()) await expectFilled(store, `/k/${i}/`, count);
        const hog = path.join(disk.path, 'hog');
        const { bavail, bsize } = statfsSync(disk.path);
        writeFileSync(hog, Buffer.alloc(Math.max(0, bavail * bsize - 1024 * 1024)));
        counts.push(await fill(store, `/k/${round}/`));
        rmSync(hog);
        await store.create(`/after/${round}`, value(0));
      }
      expect(Math.min(...counts)).toBeGreaterThan(5);
    });

    test('A full disk does not take a store that is not there yet, and says so', async () => {
      const disk = mountSmallDisk('512k');
      await expect(openEmbeddedStore({ directory: path.join(disk.path, 'data') })).rejects.toMatchObject({
        name: 'StorageError',
        reason: 'NoSpace',
      });
    });

    test('A full disk lets a store that is there be opened and read', async () => {
      const disk = mountSmallDisk('4m');
      const directory = path.join(disk.path, 'data');
      const first = await openEmbeddedStore({ directory });
      await first.create('/a', value(1));
      await first[Symbol.asyncDispose]();
      const { bavail, bsize } = statfsSync(disk.path);
      writeFileSync(path.join(disk.path, 'hog'), Buffer.alloc(bavail * bsize));
      await using store = await openEmbeddedStore({ directory });
      expect((await store.get('/a')).kv?.value.equals(value(1))).toBe(true);
      await expect(fill(store, '/b/')).resolves.toBeLessThan(5);
    });

    test('A full disk does not keep a server from starting again and showing what it has', {
      timeout: 120_000,
    }, async () => {
      const disk = mountSmallDisk('16m');
      const [port = 0] = await freePorts(1);
      const start = () => createControlPlane({ controllers: false, dataDir: path.join(disk.path, 'data'), port });
      const first = await start();
      await first.close();
      const { bavail, bsize } = statfsSync(disk.path);
      writeFileSync(path.join(disk.path, 'hog'), Buffer.alloc(bavail * bsize));
      await using second = await start();
      using client = new ApiClient(second.kubeconfig);
      expect((await client.send('GET', '/api/v1/namespaces/default')).status).toBe(200);
      expect(second.kubeconfig).toBe(first.kubeconfig);
    });

    test('A full disk is reported to clients; reads and watches go on, and writes with space', {
      timeout: 120_000,
    }, async () => {
      const disk = mountSmallDisk('8m');
      await using store = await openEmbeddedStore({ directory: path.join(disk.path, 'data') });
      const server = await startOnStore(store);
      const { client } = server;
      try {
        const { object } = await client.send('GET', configMaps);
        const watch = await client.watch(
          `${configMaps}?watch=true&resourceVersion=${object.metadata!.resourceVersion}`,
        );
        const names: string[] = [];
        let refused;
        while (refused === undefined) {
          const name = `c-${String(names.length).padStart(5, '0')}`;
          const answer = await client.send('POST', configMaps, {
            metadata: { name },
            data: { text: 'x'.repeat(20_000) },
          });
          if (answer.status === 201) names.push(name);
          else refused = answer;
        }
        // As kube-apiserver answers when etcd has no space left.
        const noSpace = {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: 'etcdserver: mvcc: database space exceeded',
          code: 500,
        };
        expect(refused.object).toEqual(noSpace);
        expect(
          (
            await client.send(
              'PATCH',
              `${configMaps}/${names[0]}`,
              { data: { more: 'y'.repeat(20_000) } },
              { contentType: 'application/merge-patch+json' },
            )
          ).object,
        ).toEqual(noSpace);

        expect(((await client.send('GET', configMaps)).object['items'] as object[]).length).toBe(names.length);
        expect((await client.send('GET', `${configMaps}/${names.at(-1)}`)).status).toBe(200);
        expect((await client.send('GET', '/livez')).status).toBe(200);
        expect(
          (await watch.until((events) => events.length >= names.length)).map((event) => event.object.metadata!.name),
        ).toEqual(names);

        disk.resize('32m');
        expect(
          (await client.send('POST', configMaps, { metadata: { name: 'after' }, data: { text: 'z'.repeat(20_000) } }))
            .status,
        ).toBe(201);
        await watch.until((events) => events.at(-1)?.object.metadata?.name === 'after');
        watch.close();
      } finally {
        await server[Symbol.asyncDispose]();
      }
    });
  },
);
