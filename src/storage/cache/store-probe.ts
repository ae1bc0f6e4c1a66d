import type { Store } from '../interface.ts';
import { createSharedCall } from '../shared-call.ts';

/** What caches ask their store, shared between all of them. */
export interface StoreProbe {
  /** The store's revision by a linearizable read; one question for all who wait when it is sent. */
  readonly revision: () => Promise<number>;
  readonly requestProgress: () => Promise<void>;
}

export function createStoreProbe(store: Store): StoreProbe {
  return {
    revision: createSharedCall(() => store.currentRevision()),
    requestProgress: createSharedCall(() => store.requestProgress()),
  };
}
