/**
 * Consistent reads: how readers wait until the cache is new enough.
 *
 * A read at the most recent version takes part in one linearizable read of the store's revision, shared by all reads
 * that wait when it is sent and never by later reads. It is then answered as soon as the cache has reached that
 * revision. The revision can be another resource's: while readers wait, the store is asked for progress, first after a
 * grace period in which our own events usually arrive.
 *
 * @see {@link https://kep.k8s.io/2340 | KEP-2340} for consistent reads from a cache
 */
import type { Clock, Timer } from '../../base/clock.ts';
import type { StorageCounts } from '../storage-counts.ts';
import { StorageError } from '../storage-error.ts';
import type { StorageReason } from '../storage-error.ts';
import { tooLargeResourceVersion } from '../too-large-resource-version.ts';

export interface FreshnessOptions {
  readonly clock: Clock;
  /** The shared question; see `createSharedCall`. */
  readonly probe: () => Promise<number>;
  readonly requestProgress: () => Promise<void>;
  /** The revision the cache has reached. */
  readonly current: () => number;
  /**
   * The store is at a revision below one it has shown before: it is not the same store any more (a backup was
   * restored).
   */
  readonly onReset: () => void;
  /** How long a version may take to arrive. */
  readonly versionWaitMs: number;
  readonly counts: StorageCounts;
}

/** The reference waits as long. */
export const defaultVersionWaitMs = 3_000;
/** Between an answered write and its event lies less, so that most waits end without asking for progress. */
const progressGraceMs = 2;
const progressPeriodMs = 50;
/** Aborts and deadlines are looked at so often: listening to every reader's signal costs more than the read. */
const pollMs = 100;

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
  readonly signal: AbortSignal | undefined;
}

/** Readers that wait for the same thing. */
class WaitGroup {
  /** Infinity until the probe is answered. */
  revision = Infinity;
  deadline = Infinity;
  #waiters: Waiter[] = [];

  get isEmpty(): boolean {
    return this.#waiters.length === 0;
  }

  wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject, signal }));
  }

  succeed(): void {
    for (const waiter of this.#waiters.splice(0)) waiter.resolve();
  }

  fail(error: Error): void {
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
  }

  rejectAborted(): void {
    this.#waiters = this.#waiters.filter((waiter) => {
      if (!waiter.signal?.aborted) return true;
      waiter.reject(aborted(waiter.signal));
      return false;
    });
  }
}

export class Freshness {
  readonly #options: FreshnessOptions;
  readonly #groups = new Set<WaitGroup>();
  #asking: Promise<number> | undefined;
  #askers = new WaitGroup();
  #poll: Timer | undefined;
  #progress: Timer | undefined;
  #failure: Error | undefined;

  constructor(options: FreshnessOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the cache is at least as new as any write acknowledged before the call. Throws what the probe threw,
   * `Timeout` when the cache does not get there, `Aborted`.
   */
  fresh(signal?: AbortSignal): Promise<void> {
    const asked = this.#options.probe();
    if (asked !== this.#asking) this.#ask(asked);
    return this.#wait(this.#askers, signal);
  }

  /** Resolves when the cache has reached `revision`. Throws `Timeout`, `Aborted`. */
  reach(revision: number, signal?: AbortSignal): Promise<void> {
    if (this.#options.current() >= revision) return Promise.resolve();
    const group = new WaitGroup();
    this.#groups.add(group);
    this.#expect(group, revision);
    return this.#wait(group, signal);
  }

  /** Whether the cache reaches `revision` within a short time. */
  async reachesSoon(revision: number, withinMs: number): Promise<boolean> {
    const group = new WaitGroup();
    this.#groups.add(group);
    this.#expect(group, revision);
    const reached = group.wait(undefined).then(() => true);
    const timer = this.#options.clock.after(withinMs, () => this.#giveUp(group));
    return reached.catch(() => false).finally(() => timer.cancel());
  }

  /** The cache has moved on. */
  advanced(): void {
    if (this.#groups.size === 0) return;
    const current = this.#options.current();
    for (const group of this.#groups) {
      if (group.revision > current) continue;
      this.#groups.delete(group);
      group.succeed();
    }
    if (!this.#isAnyoneWaiting()) this.#stopAsking();
  }

  /** Fails present and later waiters. */
  close(error: Error): void {
    this.#failure = error;
    this.#poll?.cancel();
    this.#stopAsking();
    for (const group of this.#groups) group.fail(error);
    this.#groups.clear();
  }

  #ask(asked: Promise<number>): void {
    const group = new WaitGroup();
    this.#asking = asked;
    this.#askers = group;
    this.#groups.add(group);
    const before = this.#options.current();
    asked.then(
      (revision) => {
        if (revision < before) this.#options.onReset();
        this.#expect(group, revision);
      },
      (error: Error) => {
        this.#groups.delete(group);
        group.fail(error);
      },
    );
  }

  #expect(group: WaitGroup, revision: number): void {
    group.revision = revision;
    if (this.#options.current() >= revision) {
      this.#groups.delete(group);
      return group.succeed();
    }
    group.deadline = this.#options.clock.now() + this.#options.versionWaitMs;
    this.#progress ??= this.#options.clock.after(progressGraceMs, () => this.#askForProgress());
  }

  #wait(group: WaitGroup, signal: AbortSignal | undefined): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#poll ??= this.#options.clock.after(pollMs, () => this.#look());
    const { waited } = this.#options.counts;
    const answer = group.wait(signal);
    return waited === undefined ? answer : timed(answer, this.#options.clock, waited);
  }

  #look(): void {
    this.#poll = undefined;
    const now = this.#options.clock.now();
    for (const group of this.#groups) {
      group.rejectAborted();
      if (group.deadline <= now) this.#giveUp(group);
    }
    if (this.#groups.size > 0) this.#poll = this.#options.clock.after(pollMs, () => this.#look());
  }

  #giveUp(group: WaitGroup): void {
    this.#groups.delete(group);
    group.fail(tooLargeResourceVersion(group.revision, this.#options.current()));
  }

  /** For a revision that is known. */
  #isAnyoneWaiting(): boolean {
    for (const group of this.#groups) if (group.revision !== Infinity && !group.isEmpty) return true;
    return false;
  }

  /** The next reader begins with the grace period again. */
  #stopAsking(): void {
    this.#progress?.cancel();
    this.#progress = undefined;
  }

  #askForProgress(): void {
    this.#progress = undefined;
    if (!this.#isAnyoneWaiting()) return;
    this.#progress = this.#options.clock.after(progressPeriodMs, () => this.#askForProgress());
    this.#options.requestProgress().catch(() => undefined);
  }
}

function timed(answer: Promise<void>, clock: Clock, waited: (milliseconds: number) => void): Promise<void> {
  const began = clock.now();
  const done = (): void => waited(clock.now() - began);
  answer.then(done, done);
  return answer;
}

export function aborted(signal: AbortSignal): StorageError {
  const reason: StorageReason = 'Aborted';
  return new StorageError(reason, 'the caller no longer waits', { cause: signal.reason });
}
