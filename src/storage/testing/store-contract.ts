/**
 * The contract of `Store` as a suite: what the docstrings of `interface.ts` promise, on any store.
 *
 * ```ts
 * describeStoreContract({
 *   name: 'etcd 3.5',
 *   create: async () => ({ store, openAnother, cutConnections, [Symbol.asyncDispose] }),
 * });
 * ```
 *
 * One store serves each group of cases, each case keeps to a prefix of its own. A case that needs an ability which
 * the store under test does not have skips with the reason.
 */
import { describe } from 'vitest';
import { describeCompaction } from './contract/compaction.ts';
import { describeGuards } from './contract/guards.ts';
import { describeLeases } from './contract/leases.ts';
import { describeLifecycle } from './contract/lifecycle.ts';
import { describeReads } from './contract/reads.ts';
import { useStore } from './contract/support.ts';
import type { StoreContract } from './contract/support.ts';
import { describeWatches } from './contract/watches.ts';
import { describeWrites } from './contract/writes.ts';

export type { StoreContract, StoreUnderTest } from './contract/support.ts';

export function describeStoreContract({ name, create }: StoreContract): void {
  describe(`store contract: ${name}`, () => {
    const fixture = useStore(create);
    describeReads(fixture);
    describeWrites(fixture);
    describeGuards(fixture);
    describeWatches(fixture);
    describeLeases(fixture);
    describeCompaction(fixture);
    describeLifecycle(fixture);
  });
}
