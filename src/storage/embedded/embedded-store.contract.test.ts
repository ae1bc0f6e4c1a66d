import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { describeStoreContract } from '../testing/store-contract.ts';
import { EmbeddedStore } from './embedded-store.ts';
import { MemoryJournal } from './memory-journal.ts';
import { openEmbeddedStore } from './open.ts';

describeStoreContract({
  name: 'embedded, in memory',
  create: async () => {
    const clock = new FakeClock();
    const store = new EmbeddedStore(new MemoryJournal({ maxSizeBytes: 1024 ** 3 }), { clock });
    return { store, elapse: (seconds) => clock.advance(seconds * 1000), [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
  },
});

describeStoreContract({
  name: 'embedded, on disk',
  create: async () => {
    const directory = await mkdtemp(path.join(tmpdir(), 'orch-store-'));
    const store = await openEmbeddedStore({ directory });
    return {
      store,
      [Symbol.asyncDispose]: async () => {
        await store[Symbol.asyncDispose]();
        await rm(directory, { recursive: true, force: true });
      },
    };
  },
});
