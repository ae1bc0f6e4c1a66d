/**
 * Metrics whose series are found once and then counted without looking at labels: prom-client's own hash them each
 * time, which costs more than what is measured where each request has several, or dozens.
 */
import type { Metric, Registry } from 'prom-client';

export interface SeriesMetricOptions {
  readonly name: string;
  readonly help: string;
  readonly registry: Registry;
}

export type Labels = Readonly<Record<string, string>>;

/** A value as prom-client prints it. */
export interface MetricValue {
  readonly metricName?: string;
  readonly labels: Labels;
  readonly value: number;
}

type MetricType = 'counter' | 'gauge' | 'histogram' | 'summary';

interface SeriesType<S> {
  readonly type: MetricType;
  make(labels: Labels): S;
  valuesOf(series: S): readonly MetricValue[];
  beforeShown?(): void;
}

/** Shows values that are counted elsewhere. */
export function showValues(
  { name, help, type, registry }: SeriesMetricOptions & { readonly type: MetricType },
  values: () => readonly MetricValue[],
  reset: () => void = () => undefined,
): void {
  const shown = { name, help, type, aggregator: 'sum' };
  // All that the registry asks of a metric.
  registry.registerMetric({
    ...shown,
    get: () => Promise.resolve({ ...shown, values: values() }),
    reset,
  } as unknown as Metric);
}

export class SeriesSet<S> {
  readonly #type: SeriesType<S>;
  readonly #all = new Map<string, S>();

  constructor({ name, help, registry }: SeriesMetricOptions, type: SeriesType<S>) {
    this.#type = type;
    showValues(
      { name, help, type: type.type, registry },
      () => {
        type.beforeShown?.();
        return [...this.#all.values()].flatMap((series) => type.valuesOf(series));
      },
      () => this.#all.clear(),
    );
  }

  /** The series with these labels, which is shown from now on. Callers keep it. */
  series(labels: Labels): S {
    const key = JSON.stringify(Object.entries(labels).sort());
    let series = this.#all.get(key);
    if (series === undefined) this.#all.set(key, (series = this.#type.make(labels)));
    return series;
  }
}
