import { openEmbeddedStore } from '../embedded/open.ts';
import { describeObjectsContract } from '../testing/objects-contract.ts';
import type { StoreForObjects } from '../testing/objects-contract.ts';
import { createCachedObjectStorage } from './cached.ts';

const createStore = async (): Promise<StoreForObjects> => {
  const store = await openEmbeddedStore();
  return { store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
};

describeObjectsContract({
  name: 'watch cache, on the embedded store',
  createStore,
  createStorage: createCachedObjectStorage,
});
describeObjectsContract({
  name: 'watch cache, where progress is not to be believed',
  createStore,
  createStorage: createCachedObjectStorage,
  soundProgress: false,
});
