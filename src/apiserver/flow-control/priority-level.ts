/** One priority level at work: its object, its seats and its queues. */
import type { PriorityLevelConfiguration } from '../../api/gen/types/flowcontrol-v1.ts';
import type { Clock } from '../../base/clock.ts';
import { FairQueues, type QueueMode } from './fair-queues.ts';
import type { LevelUsage } from './level-usage.ts';
import { RetryAfter } from './retry-after.ts';
import type { LevelShares, SeatBounds } from './seat-limits.ts';
import { mostSeats } from './work-estimate.ts';

/** Part of a level's seats that one list may take (KEP-1040). */
const widestPart = 0.15;

export class PriorityLevel {
  readonly name: string;
  readonly queues: FairQueues;
  readonly #clock: Clock;
  readonly #usage: LevelUsage;
  readonly retryAfter = new RetryAfter();
  #object: PriorityLevelConfiguration;
  #mode: QueueMode;
  #bounds: SeatBounds = { nominal: 0, lower: 0, upper: 0 };
  /** Of one request. */
  maxSeats = mostSeats;
  /** Its object is gone; it is kept until its last request ends. */
  isQuiescing = false;
  /** At the last adjustment. */
  target = 0;

  constructor(name: string, object: PriorityLevelConfiguration, clock: Clock, usage: LevelUsage) {
    this.name = name;
    this.#object = object;
    this.#mode = queueMode(object);
    this.#clock = clock;
    this.#usage = usage;
    this.queues = new FairQueues(clock, this.#mode, 0, usage);
  }

  get uid(): string {
    return this.#object.metadata.uid ?? '';
  }

  get object(): PriorityLevelConfiguration {
    return this.#object;
  }

  set object(object: PriorityLevelConfiguration) {
    this.#object = object;
    this.#mode = queueMode(object);
    this.isQuiescing = false;
  }

  get bounds(): SeatBounds {
    return this.#bounds;
  }

  set bounds(bounds: SeatBounds) {
    this.#bounds = bounds;
    this.maxSeats = widestRequest(bounds, this.#mode);
  }

  get isExempt(): boolean {
    return this.#object.spec.type === 'Exempt';
  }

  get shares(): LevelShares {
    const { limited, exempt } = this.#object.spec;
    return this.isExempt
      ? { shares: exempt?.nominalConcurrencyShares ?? 0, lendablePercent: exempt?.lendablePercent }
      : {
          shares: limited?.nominalConcurrencyShares ?? defaultShares,
          lendablePercent: limited?.lendablePercent,
          borrowingLimitPercent: limited?.borrowingLimitPercent,
        };
  }

  /** @param seats that it may use from now on @param total of all levels */
  setSeats(seats: number, total: number): void {
    this.queues.configure(this.#mode, seats);
    const queued = typeof this.#mode === 'string' ? 1 : this.#mode.queues * this.#mode.queueLengthLimit;
    this.#usage.setLimits({ nominal: this.#bounds.nominal, current: seats, total, queued }, this.#clock.now());
  }
}

/** Of a limited level whose object says nothing. */
const defaultShares = 30;

function widestRequest({ nominal }: SeatBounds, mode: QueueMode): number {
  if (typeof mode === 'string') return mostSeats;
  const widest = Math.min(Math.ceil(nominal * widestPart), Math.floor(nominal / mode.handSize));
  return Math.min(Math.max(widest, 1), mostSeats);
}

function queueMode({ spec: { type, limited } }: PriorityLevelConfiguration): QueueMode {
  if (type === 'Exempt') return 'exempt';
  const queuing = limited?.limitResponse?.type === 'Queue' ? limited.limitResponse.queuing : undefined;
  if (queuing === undefined) return 'reject';
  const { queues = 64, handSize = 8, queueLengthLimit = 50 } = queuing;
  return { queues, handSize: Math.min(handSize, queues), queueLengthLimit };
}
