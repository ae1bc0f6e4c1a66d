import { type Labels, type SeriesMetricOptions, SeriesSet } from './series.ts';

export interface GaugeSeries {
  add(change: number): void;
}

class Series implements GaugeSeries {
  readonly labels: Labels;
  value = 0;

  constructor(labels: Labels) {
    this.labels = labels;
  }

  add(change: number): void {
    this.value += change;
  }
}

/** @see {@link SeriesSet} for why there are such */
export class SeriesGauge {
  readonly #set: SeriesSet<Series>;

  constructor(options: SeriesMetricOptions) {
    this.#set = new SeriesSet(options, {
      type: 'gauge',
      make: (labels) => new Series(labels),
      valuesOf: ({ labels, value }) => [{ labels, value }],
    });
  }

  series(labels: Labels): GaugeSeries {
    return this.#set.series(labels);
  }
}
