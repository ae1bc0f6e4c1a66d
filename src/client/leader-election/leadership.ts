/**
 * The time in which a candidate leads.
 *
 * Others may take the lock one lease duration after they saw its last renewal, which is after that renewal was sent. So
 * counted from when it was sent:
 *
 * - until the renew deadline writes may begin. Then the leadership is lost, and its signal aborts what is under way;
 * - until the end of the lease they must be over: a fenced client tells the server so with each write (`timeout`).
 *
 * A process that stood still for that long finds its timers late: `check` asks the clock, and not a timer.
 */
import type { Clock, Timer } from '../../base/clock.ts';
import type { Fence } from '../requests/fence.ts';

export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError';
}

export interface LeadershipTimes {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
}

export class Leadership implements Fence {
  readonly #clock: Clock;
  readonly #times: LeadershipTimes;
  readonly #abort = new AbortController();
  #renewedAt: number;
  #timer: Timer;

  /** @param acquiredAt when the request was sent that took the lock */
  constructor(clock: Clock, times: LeadershipTimes, acquiredAt: number) {
    this.#clock = clock;
    this.#times = times;
    this.#renewedAt = acquiredAt;
    this.#timer = this.#startTimer();
  }

  /** Aborts when the leadership is lost or given up. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Until when writes may begin, by the clock. */
  get deadline(): number {
    return this.#renewedAt + this.#times.renewDeadlineMs;
  }

  /** @returns milliseconds that a write which begins now may last. Throws `LeadershipLostError` when none may begin. */
  check(): number {
    const now = this.#clock.now();
    if (now >= this.deadline) this.end(lost());
    this.signal.throwIfAborted();
    return this.#renewedAt + this.#times.leaseDurationMs - now;
  }

  /** @param sentAt when the request was sent that renewed the lock. @returns false when that came too late */
  extend(sentAt: number): boolean {
    if (this.#clock.now() >= this.deadline) this.end(lost());
    if (this.signal.aborted) return false;
    this.#renewedAt = sentAt;
    this.#timer.cancel();
    this.#timer = this.#startTimer();
    return true;
  }

  end(reason: Error): void {
    this.#timer.cancel();
    this.#abort.abort(reason);
  }

  #startTimer(): Timer {
    return this.#clock.after(this.deadline - this.#clock.now(), () => this.end(lost()));
  }
}

const lost = (): LeadershipLostError => new LeadershipLostError('the leadership could not be renewed in time');
