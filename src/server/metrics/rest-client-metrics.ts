/**
 * The metrics of calls that a daemon makes itself (`rest_client_…`), under the names that every client of the reference
 * has. What is returned is the observer of `client/call-observer.ts`; that package is not seen from here.
 */
import type { Registry } from 'prom-client';
import { type ConnectionMetrics, createConnectionMetrics } from './connection-metrics.ts';
import { createExecPluginMetrics, type ExecPluginMetrics } from './exec-plugin-metrics.ts';
import { type CounterSeries, SeriesCounter } from './series-counter.ts';
import { type HistogramSeries, SeriesHistogram } from './series-histogram.ts';

const durationBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
/** Of bodies, in bytes. */
export const sizeBuckets = [64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216];
/** All that is asked for. */
const post = 'POST';
/** What the reference counts a call under that got no answer. */
const noAnswer = '<error>';
/** Hosts are named by objects of the API: of more than these the others are counted together. */
const maxHosts = 1000;
const otherHost = 'other';

export interface RestClientMetrics extends ConnectionMetrics {
  readonly plugins: ExecPluginMetrics;
  begins(
    host: string,
    bodyBytes: number,
  ): { answered(status: number | undefined): void; ended(answerBytes: number | undefined): void };
}

interface HostSeries {
  /** As it is shown. */
  readonly host: string;
  readonly durations: HistogramSeries;
  readonly requestSizes: HistogramSeries;
  readonly responseSizes: HistogramSeries;
  readonly totals: Map<string, CounterSeries>;
}

export function createRestClientMetrics(registry: Registry): RestClientMetrics {
  const totals = new SeriesCounter({
    name: 'rest_client_requests_total',
    help: 'Calls of other servers, by answer code, method and host.',
    registry,
  });
  const durations = new SeriesHistogram({
    name: 'rest_client_request_duration_seconds',
    help: 'Time that calls of other servers took, in seconds, by verb and host.',
    buckets: durationBuckets,
    registry,
  });
  const requestSizes = new SeriesHistogram({
    name: 'rest_client_request_size_bytes',
    help: 'Bytes sent to other servers, by verb and host.',
    buckets: sizeBuckets,
    registry,
  });
  const responseSizes = new SeriesHistogram({
    name: 'rest_client_response_size_bytes',
    help: 'Bytes that other servers answered with, by verb and host.',
    buckets: sizeBuckets,
    registry,
  });
  const known = new Map<string, HostSeries>();
  const seriesOf = (host: string): HostSeries => {
    let series = known.get(host);
    if (series === undefined) {
      if (known.size >= maxHosts && host !== otherHost) return seriesOf(otherHost);
      const labels = { verb: post, host };
      known.set(
        host,
        (series = {
          host,
          durations: durations.series(labels),
          requestSizes: requestSizes.series(labels),
          responseSizes: responseSizes.series(labels),
          totals: new Map(),
        }),
      );
    }
    return series;
  };
  return {
    plugins: createExecPluginMetrics(registry),
    ...createConnectionMetrics(registry),
    begins(host, bodyBytes) {
      const series = seriesOf(host);
      const begun = performance.now();
      series.requestSizes.observe(bodyBytes);
      return {
        answered(status) {
          const code = status === undefined ? noAnswer : String(status);
          let total = series.totals.get(code);
          if (total === undefined)
            series.totals.set(code, (total = totals.series({ code, host: series.host, method: post })));
          total.inc();
        },
        ended(answerBytes) {
          series.durations.observe((performance.now() - begun) / 1000);
          if (answerBytes !== undefined) series.responseSizes.observe(answerBytes);
        },
      };
    },
  };
}
