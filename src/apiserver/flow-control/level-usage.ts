/** How much of a level was in use, over the time. */
import type { TimingRatio } from '../../server/metrics/series-timing-histogram.ts';

/** Ratios of a level that are observed all the time. */
export interface LevelRatios {
  readonly demand: Pick<TimingRatio, 'set' | 'setDenominator'>;
  readonly waiting: Pick<TimingRatio, 'set' | 'setDenominator'>;
  readonly executing: Pick<TimingRatio, 'set' | 'setDenominator'>;
  readonly seats: Pick<TimingRatio, 'set' | 'setDenominator'>;
}

export interface LevelLimits {
  /** Seats by the level's shares. */
  readonly nominal: number;
  /** Seats now. */
  readonly current: number;
  /** Of all levels together. */
  readonly total: number;
  /** Requests that may wait. */
  readonly queued: number;
}

/** What is in use now. */
interface Use {
  readonly waiting: number;
  readonly running: number;
  readonly seatsInUse: number;
  readonly seatsWaiting: number;
}

export class LevelUsage {
  readonly #ratios: LevelRatios;

  constructor(ratios: LevelRatios) {
    this.#ratios = ratios;
  }

  setLimits({ nominal, current, total, queued }: LevelLimits, nowMs: number): void {
    const { demand, waiting, executing, seats } = this.#ratios;
    // Upstream's stand-in for a level without seats.
    const running = current > 0 ? current : Math.round(total / 10);
    demand.setDenominator(nominal, nowMs);
    waiting.setDenominator(queued, nowMs);
    executing.setDenominator(running, nowMs);
    seats.setDenominator(running, nowMs);
  }

  note({ waiting, running, seatsInUse, seatsWaiting }: Use, nowMs: number): void {
    const ratios = this.#ratios;
    ratios.demand.set(seatsInUse + seatsWaiting, nowMs);
    ratios.waiting.set(waiting, nowMs);
    ratios.executing.set(running, nowMs);
    ratios.seats.set(seatsInUse, nowMs);
  }
}
