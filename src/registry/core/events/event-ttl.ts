/** `--event-ttl`: events end with a lease of the store, which events of about the same time share. */
import type { Clock } from '../../../base/clock.ts';
import type { LeaseId } from '../../../storage/interface.ts';
import { createLeaseManager, type LeaseStore } from '../../../storage/lease-manager.ts';

export interface EventTtlOptions {
  /** The store that events lie in. */
  readonly store: LeaseStore;
  readonly ttlMs: number;
  /** `--lease-reuse-duration-seconds` */
  readonly reuseSeconds: number;
  readonly clock?: Clock;
  /** Told how many events a lease got, when another takes its place. */
  readonly onReplaced?: (events: number) => void;
}

/** Returns what yields the lease for an event that is written now. It throws as `Store.grantLease` does. */
export function createEventTtl({
  store,
  ttlMs,
  reuseSeconds,
  clock,
  onReplaced,
}: EventTtlOptions): () => Promise<LeaseId> {
  const leases = createLeaseManager({
    reuseSeconds,
    ...(clock === undefined ? {} : { clock }),
    ...(onReplaced === undefined ? {} : { onReplaced }),
  });
  return () => leases.lease(store, ttlMs / 1000);
}
