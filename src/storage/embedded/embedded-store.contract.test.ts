import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { describeStoreContract } from '../testing/store-contract.ts';
import type { StoreUnderTest } from '../testing/store-contract.ts';
import { EmbeddedStore } from './embedded-store.ts';
import type { Journal } from './journal.ts';
import { openLmdbJournal } from './lmdb-journal.ts';
import { MemoryJournal } from './memory-journal.ts';

function underTest(journal: Journal, cleanUp: () => Promise<void> = async () => {}): StoreUnderTest {
  const clock = new FakeClock();
  const store = new EmbeddedStore(journal, { clock });
  return {
    store,
    elapse: (seconds) => clock.advance(seconds * 1000),
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
      await cleanUp();
    },
  };
}

const maxSizeBytes = 1024 ** 3;

describeStoreContract({
  name: 'embedded, in memory',
  create: async () => underTest(new MemoryJournal({ maxSizeBytes })),
});

describeStoreContract({
  name: 'embedded, on disk',
  create: async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'orch-store-'));
    return underTest(await openLmdbJournal({ directory, maxSizeBytes }), () =>
      rm(directory, { recursive: true, force: true }),
    );
  },
});
