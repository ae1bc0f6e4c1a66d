/**
 * The metrics that `/metrics` shows, by the operator's configuration: metrics can be left out, hidden ones can be
 * shown, and values of labels can be limited to a list. The code that counts does not depend on it.
 */
import { Registry, type Metric } from 'prom-client';
import { levelOf } from './metric-levels.ts';
import { type Labels, type MetricValue, showValues } from './series.ts';

export interface MetricSettings {
  /** `--disabled-metrics` */
  readonly disabled: readonly string[];
  /** `--show-hidden-metrics-for-version`: also those that are deprecated. */
  readonly showHidden: boolean;
  /** `--allow-metric-labels`: by metric and label, the values that are shown as they are. */
  readonly allowedLabels: AllowedLabels;
}

export type AllowedLabels = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

export const allMetrics: MetricSettings = { disabled: [], showHidden: false, allowedLabels: new Map() };

/** What the registry of prom-client asks of a metric. */
interface ShownMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: string;
  get(): Promise<Shown>;
  reset(): void;
}

interface Shown {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: string;
  readonly values: readonly MetricValue[];
}

/** What a value becomes that is not in the list. */
const unexpected = 'unexpected';

export class MetricRegistry extends Registry {
  readonly #settings: MetricSettings;
  readonly #disabled: ReadonlySet<string>;
  readonly #registered = new Map<string, { readonly labels: Labels; value: number }>();
  #hidden = 0;

  constructor(settings: MetricSettings) {
    super();
    this.#settings = settings;
    this.#disabled = new Set(settings.disabled);
    this.#countMetrics();
  }

  /** Whether a metric of this name can be seen: what is costly and not seen need not be counted. */
  shows(name: string): boolean {
    return !this.#disabled.has(name) && (levelOf(name)?.deprecatedSince === undefined || this.#settings.showHidden);
  }

  override registerMetric<T extends string>(metric: Metric<T>): void {
    const own = metric as unknown as ShownMetric;
    if (this.#disabled.has(own.name)) return;
    const known = levelOf(own.name);
    if (known === undefined) return super.registerMetric(metric);
    const { level, deprecatedSince = '' } = known;
    if (!this.shows(own.name)) return void this.#hidden++;
    this.#registeredOne({ stability_level: level, deprecated_version: deprecatedSince });
    const help = `[${level}] ${deprecatedSince === '' ? '' : `(Deprecated since ${deprecatedSince}) `}${own.help}`;
    const allowed = this.#settings.allowedLabels.get(own.name);
    const get = async (): Promise<Shown> => {
      const shown = await own.get();
      return { ...shown, help, values: allowed === undefined ? shown.values : constrained(shown, allowed) };
    };
    const { name, type, aggregator } = own;
    super.registerMetric({ name, type, aggregator, help, get, reset: () => own.reset() } as unknown as Metric<T>);
  }

  #registeredOne(labels: { readonly stability_level: string; readonly deprecated_version: string }): void {
    const key = `${labels.stability_level} ${labels.deprecated_version}`;
    const known = this.#registered.get(key);
    if (known === undefined) this.#registered.set(key, { labels, value: 1 });
    else known.value++;
  }

  #countMetrics(): void {
    const counter = (name: string, help: string, values: () => readonly MetricValue[]): void =>
      showValues({ name, help, type: 'counter', registry: this }, values);
    counter(
      'registered_metrics_total',
      'Metrics that are shown, by their level and the version that deprecated them.',
      () => [...this.#registered.values()],
    );
    counter('disabled_metrics_total', 'Metrics that are left out because --disabled-metrics says so.', () => [
      { labels: {}, value: this.#settings.disabled.length },
    ]);
    counter('hidden_metrics_total', 'Metrics that are left out because they are deprecated.', () => [
      { labels: {}, value: this.#hidden },
    ]);
  }
}

/** Series that can no longer be told apart are one. */
function constrained({ type, values }: Shown, allowed: ReadonlyMap<string, ReadonlySet<string>>): MetricValue[] {
  const merged = new Map<string, { metricName?: string; labels: Labels; value: number }>();
  for (const { metricName, labels, value } of values) {
    const limited = Object.fromEntries(
      Object.entries(labels).map(([name, text]) => [
        name,
        allowed.get(name)?.has(String(text)) === false ? unexpected : text,
      ]),
    );
    const key = `${metricName ?? ''} ${JSON.stringify(Object.entries(limited).sort())}`;
    const known = merged.get(key);
    if (known === undefined)
      merged.set(key, { ...(metricName === undefined ? {} : { metricName }), labels: limited, value });
    else known.value = type === 'gauge' ? value : known.value + value;
  }
  return [...merged.values()];
}
