import { type Labels, type MetricValue, type SeriesMetricOptions, SeriesSet } from './series.ts';

export interface HistogramSeries {
  /** @param times how often it is observed */
  observe(value: number, times?: number): void;
}

export interface SeriesHistogramOptions extends SeriesMetricOptions {
  /** Rising. */
  readonly buckets: readonly number[];
  readonly beforeShown?: () => void;
}

class Series implements HistogramSeries {
  readonly labels: Labels;
  /** One more than there are buckets: the last is for what is above all of them. */
  readonly counts: number[];
  readonly #buckets: readonly number[];
  sum = 0;

  constructor(labels: Labels, buckets: readonly number[]) {
    this.labels = labels;
    this.#buckets = buckets;
    this.counts = new Array<number>(buckets.length + 1).fill(0);
  }

  observe(value: number, times = 1): void {
    let i = 0;
    while (i < this.#buckets.length && value > this.#buckets[i]!) i++;
    this.counts[i]! += times;
    this.sum += value * times;
  }
}

/** @see {@link SeriesSet} for why there are such */
export class SeriesHistogram {
  readonly #set: SeriesSet<Series>;

  constructor(options: SeriesHistogramOptions) {
    this.#set = new SeriesSet(options, {
      type: 'histogram',
      make: (labels) => new Series(labels, options.buckets),
      valuesOf: (series) => valuesOf(options, series),
      ...(options.beforeShown === undefined ? {} : { beforeShown: options.beforeShown }),
    });
  }

  series(labels: Labels): HistogramSeries {
    return this.#set.series(labels);
  }
}

function valuesOf({ name, buckets }: SeriesHistogramOptions, { labels, counts, sum }: Series): MetricValue[] {
  let total = 0;
  const lines = counts.map((count, i) => ({
    metricName: `${name}_bucket`,
    labels: { le: String(buckets[i] ?? '+Inf'), ...labels },
    value: (total += count),
  }));
  return [
    ...lines,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ];
}
