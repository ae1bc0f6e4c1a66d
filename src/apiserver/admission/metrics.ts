/** How long admission takes, by plugin and by phase. */
import type { Registry } from 'prom-client';
import type { AdmissionObserver, AdmissionPhase, Durations } from '../../registry/admission.ts';
import type { Labels } from '../../server/metrics/series.ts';
import { SeriesHistogram } from '../../server/metrics/series-histogram.ts';
import { SeriesSummary } from '../../server/metrics/series-summary.ts';

const buckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5];
const summaryMs = 5 * 3600 * 1000;

export function createAdmissionMetrics(registry: Registry): AdmissionObserver {
  const plugins = new SeriesHistogram({
    name: 'apiserver_admission_controller_admission_duration_seconds',
    help: 'Time that an admission plugin took, in seconds.',
    buckets,
    registry,
  });
  const steps = new SeriesHistogram({
    name: 'apiserver_admission_step_admission_duration_seconds',
    help: 'Time that all admission plugins of a phase took, in seconds.',
    buckets,
    registry,
  });
  const summary = new SeriesSummary({
    name: 'apiserver_admission_step_admission_duration_seconds_summary',
    help: 'Quantiles of the time that all admission plugins of a phase took, in seconds.',
    maxAgeMs: summaryMs,
    now: () => performance.now(),
    registry,
  });
  const stepSeries = (labels: Labels): Durations => {
    const [durations, quantiles] = [steps.series(labels), summary.series(labels)];
    return {
      observe(seconds) {
        durations.observe(seconds);
        quantiles.observe(seconds);
      },
    };
  };
  const known = new Map<string, Durations>();
  const seriesOf = (
    name: string | undefined,
    operation: string,
    type: AdmissionPhase,
    rejected: boolean,
  ): Durations => {
    const key = `${name} ${operation} ${type} ${rejected}`;
    let series = known.get(key);
    if (series === undefined) {
      const labels = { operation, rejected: String(rejected), type };
      series = name === undefined ? stepSeries(labels) : plugins.series({ name, ...labels });
      known.set(key, series);
    }
    return series;
  };
  return {
    plugin: (name, operation, phase, rejected) => seriesOf(name, operation, phase, rejected),
    step: (operation, phase, rejected) => seriesOf(undefined, operation, phase, rejected),
  };
}
