import { systemClock } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import type { LeaseId, Store } from './interface.ts';

export interface LeaseManagerOptions {
  readonly clock?: Clock;
  /** `--lease-reuse-duration-seconds`: for so long at most a lease takes new objects. */
  readonly reuseSeconds?: number;
  /** A lease with more objects than this would make its end one very large change. */
  readonly maxObjects?: number;
  /** Told how many objects a lease got, when another takes its place. */
  readonly onReplaced?: (objects: number) => void;
}

/** Gives out leases, and the same one to objects that may end at nearly the same time: a lease costs etcd a lot. */
export interface LeaseManager {
  /**
   * A lease for one object, which lives for at least `ttlSeconds` and at most 5 % longer. Throws as `Store.grantLease`
   * does.
   */
  lease(store: LeaseStore, ttlSeconds: number): Promise<LeaseId>;
}

export type LeaseStore = Pick<Store, 'grantLease'>;

/** The lease at hand for one time to live. */
interface SharedLease {
  readonly granted: Promise<LeaseId>;
  /** Not later than the store ends it. */
  readonly endsMs: number;
  objects: number;
}

const defaults = { reuseSeconds: 60, maxObjects: 1_000 };
/** Of the time to live: how much longer than asked for an object may live at most. */
const maxReuseShare = 0.05;

export function createLeaseManager(options: LeaseManagerOptions = {}): LeaseManager {
  const clock = options.clock ?? systemClock;
  const reuseSeconds = options.reuseSeconds ?? defaults.reuseSeconds;
  const maxObjects = options.maxObjects ?? defaults.maxObjects;
  const byStore = new WeakMap<LeaseStore, Map<number, SharedLease>>();

  const grant = (store: LeaseStore, leases: Map<number, SharedLease>, ttlSeconds: number): SharedLease => {
    const wholeSeconds = Math.ceil(ttlSeconds);
    const lifeSeconds = wholeSeconds + Math.min(Math.floor(wholeSeconds * maxReuseShare), reuseSeconds);
    // The store counts from when the request arrives, which is later than now.
    const shared: SharedLease = {
      granted: store.grantLease(lifeSeconds),
      endsMs: clock.now() + lifeSeconds * 1000,
      objects: 0,
    };
    leases.set(ttlSeconds, shared);
    shared.granted.catch(() => {
      if (leases.get(ttlSeconds) === shared) leases.delete(ttlSeconds);
    });
    return shared;
  };

  return {
    lease(store, ttlSeconds) {
      let leases = byStore.get(store);
      if (leases === undefined) byStore.set(store, (leases = new Map()));
      let shared = leases.get(ttlSeconds);
      const longEnough = shared !== undefined && clock.now() + ttlSeconds * 1000 < shared.endsMs;
      if (shared === undefined || !longEnough || shared.objects >= maxObjects) {
        if (shared !== undefined) options.onReplaced?.(shared.objects);
        shared = grant(store, leases, ttlSeconds);
      }
      shared.objects++;
      return shared.granted;
    },
  };
}
