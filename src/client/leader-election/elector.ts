/**
 * A candidate for a leadership that one of several processes has at a time.
 *
 * 1. It looks at the lock every retry period. A lock that is free, or that was not written for a lease duration as this
 *    candidate saw it, is taken by a write that fails when another candidate was faster.
 * 2. It leads, and writes the lock again every retry period. When that does not succeed within the renew deadline, the
 *    leadership is lost, before another candidate can have it.
 * 3. The work that needs the leadership is waited for, and the lock is given up.
 *
 * In a coordinated election the API server writes into the lock who leads, and candidates only renew what they have. A
 * leader that reads there that another is preferred ends its work and gives the lock up.
 *
 * Candidates count time by their own clocks, from what they saw: the times in the record are for people.
 * @see {@link https://kubernetes.io/docs/concepts/architecture/leases/#leader-election | Leases: leader election}
 * @see {@link https://kep.k8s.io/4355 | KEP-4355: coordinated leader election}
 */
import { type Clock, systemClock } from '../../base/clock.ts';
import { silentLogger, type Logger } from '../../base/logger.ts';
import { formatMicroTime } from '../../machinery/time.ts';
import { pause } from '../../reconcile/pause.ts';
import { deadline } from '../deadline.ts';
import { Leadership, LeadershipYieldedError, type Moment } from './leadership.ts';
import type { HeldRecord, LeaderRecord, ResourceLock } from './lock.ts';

export interface ElectionOptions {
  readonly lock: ResourceLock;
  /** Of this candidate alone: host name and a random part. */
  readonly identity: string;
  /** The API server elects: the lock is renewed once it names this candidate, and never taken. See `LeaseCandidacy`. */
  readonly isCoordinated?: boolean;
  /** What is done by the leader. Must end soon once the signal of the leadership aborts. */
  readonly lead: (leadership: Leadership) => Promise<void>;
  /** 15 s when absent; the record has whole seconds. */
  readonly leaseDurationMs?: number;
  /** 10 s when absent. */
  readonly renewDeadlineMs?: number;
  /** 2 s when absent. */
  readonly retryPeriodMs?: number;
  /** Told when another leads than before. */
  readonly onNewLeader?: (identity: string) => void;
  /** Told when a leader has to read the lock before it can renew it: its write alone did not succeed. */
  readonly onSlowRenewal?: () => void;
  readonly log?: Logger;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Milliseconds since 1970, for the times in the record. */
  readonly wallTime?: () => number;
}

/**
 * `stopped`: by the signal. `lost`: it could not be renewed, or another candidate is preferred. `finished`: the work
 * ended by itself.
 */
export type ElectionEnd = 'stopped' | 'lost' | 'finished';

const defaults = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 };
/** Candidates do not all come at once. */
const jitter = 1.2;

/** Throws for times with which two could lead at once, or none. */
export function createElector(options: ElectionOptions): Elector {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = { ...defaults, ...options };
  if (options.identity === '') throw new RangeError('the identity of a candidate is empty');
  if (leaseDurationMs < 1000 || retryPeriodMs <= 0)
    throw new RangeError('the lease duration is less than 1 s, or the retry period is not positive');
  if (leaseDurationMs <= renewDeadlineMs)
    throw new RangeError('the lease duration must be greater than the renew deadline');
  if (renewDeadlineMs <= jitter * retryPeriodMs)
    throw new RangeError(`the renew deadline must be greater than ${jitter} retry periods`);
  return new Elector(options, { leaseDurationMs, renewDeadlineMs, retryPeriodMs });
}

export class Elector {
  readonly #options: ElectionOptions;
  readonly #times: typeof defaults;
  readonly #clock: Clock;
  readonly #wallTime: () => number;
  readonly #log: Logger;
  /** What was read or written last, and when it was seen first. */
  #seen: { readonly held: HeldRecord; readonly at: number } | undefined;
  #leader: string | undefined;
  #leadership: Leadership | undefined;

  /** @internal Use {@link createElector}. */
  constructor(options: ElectionOptions, times: typeof defaults) {
    this.#options = options;
    this.#times = times;
    this.#clock = options.clock ?? systemClock;
    this.#wallTime = options.wallTime ?? Date.now;
    this.#log = options.log ?? silentLogger;
  }

  /** Who leads, as far as this candidate saw; empty when the lock is free. */
  get leader(): string | undefined {
    return this.#leader;
  }

  /**
   * Waits for the leadership, leads once, and resolves when that is over and its work has ended. Rejects with what the
   * work throws.
   */
  async run(signal: AbortSignal): Promise<ElectionEnd> {
    const acquired = await this.#acquire(signal);
    if (acquired === undefined) return 'stopped';
    const leadership = (this.#leadership = new Leadership({
      clock: this.#clock,
      wallTime: this.#wallTime,
      times: this.#times,
      acquired,
      since: this.#writtenVersion(),
    }));
    const stop = (): void => leadership.end(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    this.#log.info({ lock: this.#options.lock.name, identity: this.#options.identity }, 'leading');
    let isFinished = false;
    const work = this.#options.lead(leadership).finally(() => {
      isFinished = !leadership.signal.aborted;
      leadership.end(new Error('the work of the leader has ended'));
    });
    try {
      await Promise.all([work, this.#renew(leadership)]);
    } catch (error) {
      // What the work says when its leadership ends is that it ended.
      if (isFinished) throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
    const isLost = !isFinished && !signal.aborted;
    this.#log.info({ lock: this.#options.lock.name, identity: this.#options.identity, isLost }, 'no longer leading');
    // What could not be renewed in time cannot be given up either, and others wait no longer than for its end.
    const isYielded = leadership.signal.reason instanceof LeadershipYieldedError;
    if (isLost && !isYielded) return 'lost';
    await this.#release();
    return isYielded ? 'lost' : isFinished ? 'finished' : 'stopped';
  }

  /** @returns when the request was sent that took the lock; undefined when the signal aborts */
  async #acquire(signal: AbortSignal): Promise<Moment | undefined> {
    const { random = Math.random } = this.#options;
    while (!signal.aborted) {
      const acquired = await this.#try(signal, this.#clock.now() + this.#times.renewDeadlineMs);
      if (acquired !== undefined) return acquired;
      await pause(this.#clock, this.#times.retryPeriodMs * (1 + jitter * random()), signal);
    }
    return undefined;
  }

  /** Of several locks held together there is no one version. */
  #writtenVersion(): string | undefined {
    const version = this.#seen?.held.version ?? '';
    return /^\d+$/.test(version) ? version : undefined;
  }

  /** Until the leadership ends. */
  async #renew(leadership: Leadership): Promise<void> {
    const { signal } = leadership;
    while (!signal.aborted) {
      await pause(this.#clock, this.#times.retryPeriodMs, signal);
      if (signal.aborted) return;
      const sent = await this.#try(signal, leadership.deadline);
      if (sent !== undefined) leadership.extend(sent);
    }
  }

  /** Takes or renews the lock once. @returns when that was sent; undefined when another holds it, or it failed */
  async #try(signal: AbortSignal, until: number): Promise<Moment | undefined> {
    const limited = deadline(this.#clock, until - this.#clock.now(), signal, 'the lock was not written');
    try {
      return await this.#takeOrRenew(limited.signal);
    } catch (error) {
      if (!signal.aborted)
        this.#log.warn({ err: error, lock: this.#options.lock.name }, 'the lock of a leader election failed');
      return undefined;
    } finally {
      limited.end();
    }
  }

  async #takeOrRenew(signal: AbortSignal): Promise<Moment | undefined> {
    const { lock, identity, isCoordinated = false } = this.#options;
    const now = this.#moment();
    // The holder knows what it wrote last, and one write suffices.
    const mine = this.#seen?.held;
    if (mine?.record.holderIdentity === identity) {
      const written = await lock.update(this.#record(mine.record), mine, signal).catch(() => undefined);
      if (written !== undefined) return this.#written(written, now);
      signal.throwIfAborted();
    }
    const held = await lock.get(signal);
    if (held === undefined) {
      if (isCoordinated) return undefined;
      const sent = this.#moment();
      return this.#written(await lock.create(this.#record(undefined), signal), sent);
    }
    this.#observe(held);
    if (isCoordinated ? !this.#isElected(held) : held.record.holderIdentity !== identity && !this.#isFree(held))
      return undefined;
    if (this.#leadership !== undefined) this.#options.onSlowRenewal?.();
    const sent = this.#moment();
    return this.#written(await lock.update(this.#record(held.record), held, signal), sent);
  }

  /** A lease that has ended is for the next who is elected. */
  #isElected(held: HeldRecord): boolean {
    const { holderIdentity, preferredHolder = '' } = held.record;
    const { identity, lock } = this.#options;
    if (holderIdentity !== identity || this.#isFree(held)) return false;
    if (preferredHolder === '' || preferredHolder === identity) return true;
    this.#leadership?.end(
      new LeadershipYieldedError(`${preferredHolder} is the preferred holder of the lock ${lock.name}`),
    );
    return false;
  }

  #isFree({ record }: HeldRecord): boolean {
    const leaseMs = record.leaseDurationSeconds * 1000;
    return record.holderIdentity === '' || this.#clock.now() >= this.#seen!.at + leaseMs;
  }

  #written(held: HeldRecord, sent: Moment): Moment {
    this.#observe(held);
    return sent;
  }

  #moment(): Moment {
    return { at: this.#clock.now(), wallMs: this.#wallTime() };
  }

  #observe(held: HeldRecord): void {
    if (this.#seen?.held.version === held.version) return;
    this.#seen = { held, at: this.#clock.now() };
    const { holderIdentity } = held.record;
    if (this.#leader === holderIdentity) return;
    this.#leader = holderIdentity;
    this.#options.onNewLeader?.(holderIdentity);
  }

  #record(before: LeaderRecord | undefined): LeaderRecord {
    const { identity } = this.#options;
    const now = this.#now();
    const isMine = before?.holderIdentity === identity;
    const transitions = before?.leaderTransitions ?? 0;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#times.leaseDurationMs / 1000),
      // An API server that elects does not say when the candidate begins.
      acquireTime: isMine && before.acquireTime !== '' ? before.acquireTime : now,
      renewTime: now,
      leaderTransitions: before === undefined || isMine ? transitions : transitions + 1,
    };
  }

  /** Others need not wait for the end of the lease. Only after the work has ended. */
  async #release(): Promise<void> {
    const held = this.#seen?.held;
    if (held?.record.holderIdentity !== this.#options.identity) return;
    const now = this.#now();
    const free = { ...held.record, holderIdentity: '', leaseDurationSeconds: 1, renewTime: now, acquireTime: now };
    const limited = deadline(this.#clock, this.#times.retryPeriodMs, undefined);
    try {
      this.#observe(await this.#options.lock.update(free, held, limited.signal));
    } catch (error) {
      this.#log.warn({ err: error, lock: this.#options.lock.name }, 'a lock could not be given up');
    } finally {
      limited.end();
    }
  }

  #now(): string {
    const ms = this.#wallTime();
    return formatMicroTime(Math.floor(ms / 1000), (ms % 1000) * 1_000_000);
  }
}
