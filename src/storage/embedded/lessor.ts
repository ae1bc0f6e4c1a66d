import { randomInt } from 'node:crypto';
import type { Clock, Timer } from '../../base/clock.ts';
import { StorageError } from '../storage-error.ts';
import type { LeaseId } from '../interface.ts';
import type { StoredLease } from './journal.ts';
import type { Lease } from './version.ts';

/** The longest that a timer can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** When to try again to end a lease that could not be ended, for want of disk space say. */
const RETRY_MS = 5_000;
const MAX_LEASE_ID = 2 ** 48 - 1;

/**
 * The granted leases, and the timer that expires them.
 *
 * While the store is open, a lease runs by the monotonic clock, which cannot be set. Only its remaining time at the
 * next opening is computed from the wall clock, since it runs on while the store is closed.
 */
export class Lessor {
  readonly #leases = new Map<number, Lease>();
  readonly #clock: Clock;
  readonly #end: (lease: Lease) => Promise<unknown>;
  #timer: Timer | undefined;
  #retryAtMs = 0;
  #closed = false;

  /**
   * `end` makes the end of a lease durable; it has left the book when that is called, and is put back by `add` if it
   * fails.
   */
  constructor({ clock, end }: { clock: Clock; end: (lease: Lease) => Promise<unknown> }) {
    this.#clock = clock;
    this.#end = end;
  }

  /** A new lease, not in the book yet. */
  draw(ttlSeconds: number): Lease {
    const ttlMs = Math.ceil(ttlSeconds * 1000);
    if (!Number.isSafeInteger(ttlMs) || ttlMs <= 0)
      throw new RangeError(`a lease cannot live for ${ttlSeconds} seconds`);
    let id = randomInt(1, MAX_LEASE_ID);
    while (this.#leases.has(id)) id = randomInt(1, MAX_LEASE_ID);
    return { id, ttlMs, expiresAtMs: Date.now() + ttlMs, deadlineMs: this.#clock.now() + ttlMs, keys: new Set() };
  }

  add(lease: Lease): void {
    this.#leases.set(lease.id, lease);
  }

  restore(stored: StoredLease): void {
    // A wall clock that was set back must not make a lease live longer than it was granted for.
    const leftMs = Math.min(stored.expiresAtMs - Date.now(), stored.ttlMs);
    this.add({ ...stored, deadlineMs: this.#clock.now() + leftMs, keys: new Set() });
  }

  remove(lease: Lease): void {
    this.#leases.delete(lease.id);
  }

  byNumber(id: number): Lease | undefined {
    return this.#leases.get(id);
  }

  /** The lease a caller names; throws `LeaseNotFound`. */
  get(id: LeaseId): Lease {
    const lease = this.#leases.get(Number(id));
    if (lease === undefined || String(lease.id) !== id)
      throw new StorageError('LeaseNotFound', `there is no lease ${id}`);
    return lease;
  }

  /** Sets the timer for the lease that ends next. */
  schedule(): void {
    this.#timer?.cancel();
    if (this.#closed || this.#leases.size === 0) return;
    const next = Math.max(this.#nextDeadlineMs(), this.#retryAtMs);
    const delayMs = Math.ceil(Math.max(next - this.#clock.now(), 0));
    this.#timer = this.#clock.after(Math.min(delayMs, MAX_TIMER_MS), () => this.#endExpired());
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  #nextDeadlineMs(): number {
    let next = Infinity;
    for (const { deadlineMs } of this.#leases.values()) next = Math.min(next, deadlineMs);
    return next;
  }

  #endExpired(): void {
    const now = this.#clock.now();
    for (const lease of [...this.#leases.values()]) {
      if (lease.deadlineMs > now) continue;
      this.remove(lease);
      this.#end(lease).catch(() => {
        this.#retryAtMs = this.#clock.now() + RETRY_MS;
        this.schedule();
      });
    }
    this.schedule();
  }
}
