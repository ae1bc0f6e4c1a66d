/**
 * The time in which a candidate leads.
 *
 * Others may take the lock one lease duration after they saw its last renewal, which is after that renewal was sent. So
 * counted from when it was sent:
 *
 * - until the renew deadline writes may begin. Then the leadership is lost, and its signal aborts what is under way;
 * - until the end of the lease they must be over: a fenced client tells the server so with each write (`timeout`).
 *
 * A process that stood still for that long finds its timers late: `check` asks the clock, and not a timer. The clock of
 * a machine that was suspended stood still too, and its wall time did not: when more of it has passed than the renew
 * deadline, no write may begin before the next renewal.
 */
import type { Clock, Timer } from '../../base/clock.ts';
import type { Fence } from '../requests/fence.ts';

export class LeadershipLostError extends Error {
  override readonly name: string = 'LeadershipLostError';
}

/** Another candidate is to lead, and this one gives the lock up. */
export class LeadershipYieldedError extends LeadershipLostError {
  override readonly name = 'LeadershipYieldedError';
}

/** By its wall time the lease may be over. It is not known before it is renewed, or is not. */
export class LeadershipUncertainError extends Error {
  override readonly name = 'LeadershipUncertainError';
}

export interface LeadershipTimes {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
}

/** The same point in time by two clocks. */
export interface Moment {
  /** By the clock of the process. */
  readonly at: number;
  /** Milliseconds since 1970. */
  readonly wallMs: number;
}

export interface LeadershipParts {
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly wallTime: () => number;
  readonly times: LeadershipTimes;
  /** When the request was sent that took the lock. */
  readonly acquired: Moment;
  /** The resource version of that write; undefined where the lock has none. */
  readonly since: string | undefined;
}

export class Leadership implements Fence {
  readonly #clock: Clock;
  readonly #wallTime: () => number;
  readonly #times: LeadershipTimes;
  readonly #abort = new AbortController();
  #renewed: Moment;
  #timer: Timer;
  /** What others wrote when they led came before this resource version. Undefined where the lock has none. */
  readonly since: string | undefined;

  constructor({ clock, wallTime, times, acquired, since }: LeadershipParts) {
    this.#clock = clock;
    this.#wallTime = wallTime;
    this.#times = times;
    this.#renewed = acquired;
    this.since = since;
    this.#timer = this.#startTimer();
  }

  /** Aborts when the leadership is lost or given up. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Until when writes may begin, by the clock. */
  get deadline(): number {
    return this.#renewed.at + this.#times.renewDeadlineMs;
  }

  /**
   * @returns milliseconds that a write which begins now may last. Throws `LeadershipLostError` when none may begin any
   *   more, and `LeadershipUncertainError` when none may before the next renewal.
   */
  check(): number {
    const now = this.#clock.now();
    if (now >= this.deadline) this.end(lost());
    this.signal.throwIfAborted();
    const { at, wallMs } = this.#renewed;
    const elapsedMs = Math.max(now - at, this.#wallTime() - wallMs);
    if (elapsedMs >= this.#times.renewDeadlineMs)
      throw new LeadershipUncertainError('the wall time has moved on: the leadership has to be renewed first');
    return this.#times.leaseDurationMs - elapsedMs;
  }

  /** @param sent when the request was sent that renewed the lock. @returns false when that came too late */
  extend(sent: Moment): boolean {
    if (this.#clock.now() >= this.deadline) this.end(lost());
    if (this.signal.aborted) return false;
    this.#renewed = sent;
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
