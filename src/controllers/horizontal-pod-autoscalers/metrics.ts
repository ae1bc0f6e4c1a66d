/** @see {@link https://kubernetes.io/docs/reference/instrumentation/metrics/ | Kubernetes metrics reference} */
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { SeriesCounter } from '../../server/metrics/series-counter.ts';
import { SeriesHistogram } from '../../server/metrics/series-histogram.ts';
import { perRegistry } from '../shared/per-registry.ts';

export type ScaleAction = 'scale_up' | 'scale_down' | 'none';

/** `spec`: another look at the same autoscaler would fail too. */
export type ScaleError = 'spec' | 'internal' | 'none';

/** The autoscaler itself asks for what cannot be. */
export class SpecError extends Error {
  override readonly name: string = 'SpecError';
}

/** Whether a failure comes from the autoscaler itself; errors around it have it as their cause. */
export function errorOf(error: unknown): ScaleError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof SpecError) return 'spec';
  return 'internal';
}

const prefix = 'horizontal_pod_autoscaler_controller';
/** 1 ms to 16 s. */
const buckets = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);

export const autoscalerMetrics = perRegistry((registry) => new AutoscalerMetrics(registry));

export class AutoscalerMetrics {
  readonly #looks: SeriesCounter;
  readonly #lookSeconds: SeriesHistogram;
  readonly #computations: SeriesCounter;
  readonly #computationSeconds: SeriesHistogram;

  constructor(registry: MetricRegistry) {
    const counter = (name: string, help: string) => new SeriesCounter({ name: `${prefix}_${name}`, help, registry });
    const seconds = (name: string, help: string) =>
      new SeriesHistogram({ name: `${prefix}_${name}`, help, registry, buckets });
    this.#looks = counter('reconciliations_total', 'Looks at autoscalers.');
    this.#lookSeconds = seconds('reconciliation_duration_seconds', 'Time of a look, in seconds.');
    this.#computations = counter('metric_computation_total', 'Computations of metrics.');
    this.#computationSeconds = seconds('metric_computation_duration_seconds', 'Time of a computation, in seconds.');
  }

  looked(action: ScaleAction, error: ScaleError, ms: number): void {
    this.#looks.series({ action, error }).inc();
    this.#lookSeconds.series({ action, error }).observe(ms / 1000);
  }

  computed(metricType: string, action: ScaleAction, error: ScaleError, ms: number): void {
    const labels = { action, error, metric_type: metricType };
    this.#computations.series(labels).inc();
    this.#computationSeconds.series(labels).observe(ms / 1000);
  }
}

export const actionOf = (change: number): ScaleAction => (change > 0 ? 'scale_up' : change < 0 ? 'scale_down' : 'none');
