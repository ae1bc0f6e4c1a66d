/** Metrics of the writes of custom objects. */
import type { Registry } from 'prom-client';
import type { CustomObserver } from '../../api/apiextensions/custom-observer.ts';
import { SeriesHistogram } from '../../server/metrics/series-histogram.ts';

/** Those of a histogram for which nothing else is said. */
const usualBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const comparisonBuckets = Array.from({ length: 10 }, (_, i) => Number((1e-5 * 4 ** i).toPrecision(12)));

export function createCustomMetrics(registry: Registry): CustomObserver {
  const histogram = (name: string, help: string, buckets: readonly number[]) =>
    new SeriesHistogram({ name, help, buckets, registry }).series({});
  const compiled = histogram(
    'apiserver_cel_compilation_duration_seconds',
    'Time that compiling the validation rules of a part of a schema took, in seconds.',
    usualBuckets,
  );
  const evaluated = histogram(
    'apiserver_cel_evaluation_duration_seconds',
    'Time that the validation rules about a custom object took, in seconds.',
    usualBuckets,
  );
  const compared = histogram(
    'apiextensions_apiserver_validation_ratcheting_seconds',
    'Time that comparing a custom object with the one before it took in an update, in seconds.',
    comparisonBuckets,
  );
  return {
    rulesCompiled: (seconds) => compiled.observe(seconds),
    rulesEvaluated: (seconds) => evaluated.observe(seconds),
    compared: (seconds) => compared.observe(seconds),
  };
}
