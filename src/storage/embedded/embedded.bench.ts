/**
 * The embedded store by itself: `npx vitest bench --project unit src/storage/embedded`.
 *
 * A put is durable when it counts. Rows with several writers are one write of each per iteration, so their rate is to
 * be multiplied by the number of writers.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, bench, describe } from 'vitest';
import type { Store, WatchBatch } from '../interface.ts';
import { openEmbeddedStore } from './open.ts';

const value = Buffer.alloc(2_500, 'x');
const objects = 2_000;
const options = { time: 1_000, warmupTime: 200 };
const directories: string[] = [];

afterAll(() => directories.forEach((directory) => rmSync(directory, { recursive: true, force: true })));

function temporaryDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'orch-bench-'));
  directories.push(directory);
  return directory;
}

const key = (i: number): string => `/registry/pods/namespace-${i % 20}/a-name-with-a-suffix-${i}`;

async function fill(store: Store, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1_000)
    await Promise.all(Array.from({ length: Math.min(1_000, count - i) }, (_, n) => store.create(key(i + n), value)));
}

for (const medium of ['disk', 'memory']) {
  const optionsOf = (): { directory?: string } => (medium === 'disk' ? { directory: temporaryDirectory() } : {});
  const store = await openEmbeddedStore(optionsOf());
  await fill(store, objects);
  // On disk, what was written last is still in the cache of recent values: this reads the journal.
  const cold = medium === 'disk' ? await reopened(store) : store;
  let writes = 0;
  let reads = 0;

  describe(medium, () => {
    afterAll(() => cold[Symbol.asyncDispose]());

    bench(
      'get 2.5 kB',
      async () => {
        await cold.get(key(reads++ % objects));
      },
      options,
    );

    bench(
      'list 2,000 of 2.5 kB',
      async () => {
        await cold.list('/registry/pods/');
      },
      options,
    );

    bench(
      'list 500 of 2,000',
      async () => {
        await cold.list('/registry/pods/', { limit: 500 });
      },
      options,
    );

    bench(
      'put, 1 writer',
      async () => {
        await cold.create(`/registry/events/${writes++}`, value);
      },
      options,
    );

    bench(
      'puts, 16 writers',
      async () => {
        await Promise.all(Array.from({ length: 16 }, () => cold.create(`/registry/events/${writes++}`, value)));
      },
      options,
    );

    bench(
      '16 puts and their delivery to 20 watches',
      async () => {
        const watches = Array.from({ length: 20 }, () =>
          delivered(
            cold.watch('/registry/events/', { after: 0, previous: true, signal: new AbortController().signal }),
            16,
          ),
        );
        await Promise.all([
          ...Array.from({ length: 16 }, () => cold.create(`/registry/events/${writes++}`, value)),
          ...watches,
        ]);
      },
      options,
    );

    bench(
      'replay of 2,000 events',
      async () => {
        await delivered(
          cold.watch('/registry/pods/', { after: 1, previous: true, signal: new AbortController().signal }),
          objects,
        );
      },
      options,
    );
  });
}

describe('opening', () => {
  const full = temporaryDirectory();
  bench(
    'nothing, in memory',
    async () => {
      const store = await openEmbeddedStore();
      await store[Symbol.asyncDispose]();
    },
    options,
  );

  bench(
    'an empty directory',
    async () => {
      const store = await openEmbeddedStore({ directory: temporaryDirectory() });
      await store[Symbol.asyncDispose]();
    },
    options,
  );

  bench(
    '100,000 keys',
    async () => {
      const store = await openEmbeddedStore({ directory: full });
      await store[Symbol.asyncDispose]();
    },
    {
      ...options,
      setup: async () => {
        await using store = await openEmbeddedStore({ directory: full });
        if ((await store.currentRevision()) === 1) await fill(store, 100_000);
      },
    },
  );
});

async function reopened(store: Store): Promise<Store> {
  await store[Symbol.asyncDispose]();
  return openEmbeddedStore({ directory: directories.at(-1)! });
}

async function delivered(watch: AsyncIterable<WatchBatch>, count: number): Promise<void> {
  let events = 0;
  for await (const batch of watch) {
    events += batch.events.length;
    if (events >= count) return;
  }
}
