import { MemoryStore } from '../testing/memory-store.ts';
import { describeObjectsContract } from '../testing/objects-contract.ts';
import type { StoreForObjects } from '../testing/objects-contract.ts';
import { createCachedObjectStorage } from './cached.ts';

const createStore = async (): Promise<StoreForObjects> => {
  const store = new MemoryStore();
  return { store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
};

describeObjectsContract({ name: 'watch cache', createStore, createStorage: createCachedObjectStorage });
describeObjectsContract({ name: 'watch cache over a store whose progress is not to be believed', createStore, createStorage: createCachedObjectStorage, soundProgress: false });
