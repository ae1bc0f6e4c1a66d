import { type Labels, type MetricValue, type SeriesMetricOptions, SeriesSet } from './series.ts';

export interface SummaryOptions extends SeriesMetricOptions {
  /** For how long a value has part in the quantiles. */
  readonly maxAgeMs: number;
  /** On a clock that does not go backwards. */
  readonly now: () => number;
}

const quantiles = [0.5, 0.9, 0.99];
/** The window of the quantiles moves on in so many steps. */
const parts = 5;
/** Values are kept in classes whose bounds grow by this factor: quantiles are known to one part in a hundred. */
const growth = Math.log(1.02);

/** Values that were observed in one part of the window, by class. */
interface Part {
  readonly number: number;
  readonly counts: Map<number, number>;
}

class Series {
  readonly labels: Labels;
  readonly #partMs: number;
  readonly #now: () => number;
  #parts: Part[] = [];
  sum = 0;
  count = 0;

  constructor(labels: Labels, { maxAgeMs, now }: Pick<SummaryOptions, 'maxAgeMs' | 'now'>) {
    this.labels = labels;
    this.#partMs = maxAgeMs / parts;
    this.#now = now;
  }

  /** @param value not negative */
  observe(value: number): void {
    this.sum += value;
    this.count++;
    const { counts } = this.#currentPart();
    const bucket = value === 0 ? -Infinity : Math.ceil(Math.log(value) / growth);
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }

  /** NaN where there was no value in the window. */
  quantiles(): readonly number[] {
    this.#currentPart();
    const all = new Map<number, number>();
    for (const { counts } of this.#parts)
      for (const [bucket, count] of counts) all.set(bucket, (all.get(bucket) ?? 0) + count);
    const sorted = [...all].sort(([a], [b]) => a - b);
    const total = sorted.reduce((sum, [, count]) => sum + count, 0);
    return quantiles.map((quantile) => {
      let below = 0;
      const found = sorted.find(([, count]) => (below += count) >= quantile * total);
      return found === undefined ? NaN : Math.exp((found[0] - 0.5) * growth);
    });
  }

  #currentPart(): Part {
    const number = Math.floor(this.#now() / this.#partMs);
    const last = this.#parts.at(-1);
    if (last?.number === number) return last;
    const part = { number, counts: new Map<number, number>() };
    this.#parts = [...this.#parts.filter((each) => each.number > number - parts), part];
    return part;
  }
}

/** The sum of values, and quantiles of those that are not too old. */
export class SeriesSummary {
  readonly #set: SeriesSet<Series>;

  constructor(options: SummaryOptions) {
    this.#set = new SeriesSet(options, {
      type: 'summary',
      make: (labels) => new Series(labels, options),
      valuesOf: (series) => valuesOf(options.name, series),
    });
  }

  series(labels: Labels): { observe(value: number): void } {
    return this.#set.series(labels);
  }
}

function valuesOf(name: string, series: Series): MetricValue[] {
  const { labels, sum, count } = series;
  return [
    ...series.quantiles().map((value, i) => ({ labels: { quantile: String(quantiles[i]), ...labels }, value })),
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
