import type { Labels } from './series.ts';
import { type HistogramSeries, SeriesHistogram, type SeriesHistogramOptions } from './series-histogram.ts';

const nanosecondsPerMs = 1_000_000;

/**
 * A ratio that changes over the time, as a histogram: what it is at the end of each nanosecond is an observation, so
 * that buckets say for how long it was at most so large.
 */
export class TimingRatio {
  readonly #series: HistogramSeries;
  #since: number;
  #value = 0;
  #denominator = 1;

  /** @param nowMs by a clock that does not go backwards */
  constructor(series: HistogramSeries, nowMs: number) {
    this.#series = series;
    this.#since = nowMs;
  }

  set(value: number, nowMs: number): void {
    this.pass(nowMs);
    this.#value = value;
  }

  /** @param denominator at least 1 */
  setDenominator(denominator: number, nowMs: number): void {
    this.pass(nowMs);
    this.#denominator = Math.max(1, denominator);
  }

  /** Observes what it was until now. */
  pass(nowMs: number): void {
    const nanoseconds = Math.round((nowMs - this.#since) * nanosecondsPerMs);
    if (nanoseconds <= 0) return;
    this.#since = nowMs;
    this.#series.observe(this.#value / this.#denominator, nanoseconds);
  }
}

export interface TimingHistogramOptions extends SeriesHistogramOptions {
  readonly now: () => number;
}

/** Ratios by labels, as histograms over the time. */
export class SeriesTimingHistogram {
  readonly #ratios = new Map<string, TimingRatio>();
  readonly #now: () => number;
  readonly #histogram: SeriesHistogram;

  constructor({ now, ...options }: TimingHistogramOptions) {
    this.#now = now;
    this.#histogram = new SeriesHistogram({
      ...options,
      beforeShown: () => {
        for (const ratio of this.#ratios.values()) ratio.pass(now());
      },
    });
  }

  /** The ratio with these labels. */
  ratio(labels: Labels): TimingRatio {
    const key = JSON.stringify(Object.entries(labels).sort());
    let ratio = this.#ratios.get(key);
    if (ratio === undefined)
      this.#ratios.set(key, (ratio = new TimingRatio(this.#histogram.series(labels), this.#now())));
    return ratio;
  }
}
