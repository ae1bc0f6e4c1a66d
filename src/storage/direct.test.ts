import { createDirectObjectStorage } from './direct.ts';
import { MemoryStore } from './testing/memory-store.ts';
import { describeObjectsContract } from './testing/objects-contract.ts';

describeObjectsContract({
  name: 'direct',
  createStore: async () => {
    const store = new MemoryStore();
    return { store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
  },
  createStorage: createDirectObjectStorage,
});
