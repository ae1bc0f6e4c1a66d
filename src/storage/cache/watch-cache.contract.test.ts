import { openEmbeddedStore } from '../embedded/open.ts';
import { describeObjectsContract } from '../testing/objects-contract.ts';
import type { StoreForObjects } from '../testing/objects-contract.ts';
import { createWatchCache } from './watch-cache.ts';

const createStore = async (): Promise<StoreForObjects> => {
  const store = await openEmbeddedStore();
  return { store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
};

describeObjectsContract({
  name: 'watch cache, on the embedded store',
  createStore,
  createStorage: createWatchCache,
});
describeObjectsContract({
  name: 'watch cache, where progress is not to be believed',
  createStore,
  createStorage: createWatchCache,
  soundProgress: false,
});
