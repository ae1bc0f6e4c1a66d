import type { Store } from '../interface.ts';
import { storeBehind } from '../observed-store.ts';
import { createSharedCall, createSharedCalls } from '../shared-call.ts';

/** What caches ask their store, shared between all of them. */
export interface StoreProbe {
  /** The store's revision by a linearizable read; one call for all callers that wait when it is sent. */
  readonly revision: () => Promise<number>;
  /** Progress of the watches under a prefix. */
  readonly requestProgress: (prefix: string) => Promise<void>;
}

function createStoreProbe(store: Store): StoreProbe {
  return {
    revision: createSharedCall(() => store.currentRevision()),
    requestProgress: createSharedCalls((prefix) => store.requestProgress(prefix)),
  };
}

const probes = new WeakMap<Store, StoreProbe>();

/** The probe that all caches over this store share. */
export function probeOf(given: Store): StoreProbe {
  const store = storeBehind(given);
  let probe = probes.get(store);
  if (probe === undefined) probes.set(store, (probe = createStoreProbe(store)));
  return probe;
}

/** For a store that only changes values on the way to another: both are asked as one. */
export function shareProbe(store: Store, below: Store): void {
  probes.set(store, probeOf(below));
}
