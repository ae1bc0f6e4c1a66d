/**
 * The contract of `ObjectStorage` as a suite: what the docstrings of `objects.ts` promise, of any storage over any
 * store.
 *
 * ```ts
 * describeObjectsContract({
 *   name: 'direct',
 *   createStore: async () => ({ store, [Symbol.asyncDispose] }),
 *   createStorage: createDirectObjectStorage,
 * });
 * ```
 */
import { describe } from 'vitest';
import { describeConsumers } from './objects/consumers.ts';
import { describePages } from './objects/pages.ts';
import { describeRaces } from './objects/races.ts';
import { describeReads } from './objects/reads.ts';
import { describeSelections } from './objects/selections.ts';
import { useFixture } from './objects/support.ts';
import type { ObjectsContract } from './objects/support.ts';
import { describeWatches } from './objects/watches.ts';
import { describeWrites } from './objects/writes.ts';

export type { ObjectsContract, StorageOptions, StoreForObjects } from './objects/support.ts';

export function describeObjectsContract(contract: ObjectsContract): void {
  describe(`object storage contract: ${contract.name}`, () => {
    const fixture = useFixture(contract);
    describeReads(fixture);
    describePages(fixture);
    describeWrites(fixture);
    describeWatches(fixture);
    describeSelections(fixture);
    describeConsumers(fixture);
    describeRaces(fixture);
  });
}
