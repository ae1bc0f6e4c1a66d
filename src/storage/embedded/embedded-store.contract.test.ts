import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeStoreContract } from '../testing/store-contract.ts';
import { openEmbeddedStore } from './open.ts';

describeStoreContract({
  name: 'embedded, in memory',
  create: async () => {
    const store = await openEmbeddedStore();
    return { store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
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
