import { type Labels, type SeriesMetricOptions, SeriesSet } from './series.ts';

export interface CounterSeries {
  inc(): void;
}

class Series implements CounterSeries {
  readonly labels: Labels;
  value = 0;

  constructor(labels: Labels) {
    this.labels = labels;
  }

  inc(): void {
    this.value++;
  }
}

/** @see {@link SeriesSet} for why there are such */
export class SeriesCounter {
  readonly #set: SeriesSet<Series>;

  constructor(options: SeriesMetricOptions) {
    this.#set = new SeriesSet(options, {
      type: 'counter',
      make: (labels) => new Series(labels),
      valuesOf: ({ labels, value }) => [{ labels, value }],
    });
  }

  series(labels: Labels): CounterSeries {
    return this.#set.series(labels);
  }
}
