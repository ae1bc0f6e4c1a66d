import { createDirectObjectStorage } from './direct-storage.ts';
import { openEmbeddedStore } from './embedded/open.ts';
import { describeObjectsContract } from './testing/objects-contract.ts';

describeObjectsContract({
  name: 'direct, on the embedded store',
  createStore: async () => {
    const store = await openEmbeddedStore();
    return { store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
  },
  createStorage: createDirectObjectStorage,
});
