/** Metrics of what writes do besides writing. */
import type { Registry } from 'prom-client';
import type { ObserveIssued } from '../../registry/certificates/certificate-signing-requests/hooks.ts';
import type { ObserveComparison } from '../../registry/generic/resource-store.ts';
import { SeriesCounter } from '../../server/metrics/series-counter.ts';
import { type HistogramSeries, SeriesHistogram } from '../../server/metrics/series-histogram.ts';

const comparisonBuckets = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 5];

/** Of updates that may have changed nothing but times. */
export function createComparisonMetrics(registry: Registry): ObserveComparison {
  const durations = new SeriesHistogram({
    name: 'apiserver_request_timestamp_comparison_time',
    help: 'Time that looking for a change beside times took in updates, in seconds, by what was found.',
    buckets: comparisonBuckets,
    registry,
  });
  const known = new Map<string, HistogramSeries>();
  return (comparison, seconds) => {
    let series = known.get(comparison);
    if (series === undefined) known.set(comparison, (series = durations.series({ code_path: comparison })));
    series.observe(seconds);
  };
}

export function createIssuedMetrics(registry: Registry): ObserveIssued {
  const counter = (name: string, help: string): SeriesCounter =>
    new SeriesCounter({ name: `apiserver_certificates_registry_csr_${name}_duration_total`, help, registry });
  const requested = counter('requested', 'Issued certificates whose requests ask for a time, by signer.');
  const honored = counter('honored', 'Issued certificates that last as long as their requests ask for, by signer.');
  return (signer, isHonored) => {
    // There can be as many signers as clients name.
    const signerName = signer.startsWith('kubernetes.io/') ? signer : 'other';
    requested.series({ signerName }).inc();
    if (isHonored) honored.series({ signerName }).inc();
  };
}
