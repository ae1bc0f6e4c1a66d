/** Metrics of the reviews that a daemon asks the API server for: who its callers are, and what they may do. */
import type { Registry } from 'prom-client';
import { SeriesCounter } from '../../server/metrics/series-counter.ts';
import { SeriesHistogram } from '../../server/metrics/series-histogram.ts';

/** @param status of the answer; undefined where there was none */
export type ObserveReview = (status: number | undefined, seconds: number) => void;

export interface ReviewMetrics {
  readonly authentication: ObserveReview;
  readonly authorization: ObserveReview;
}

const buckets = [0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10];
/** What the reference counts a call under that got no answer. */
const noAnswer = '<error>';

export function createReviewMetrics(registry: Registry): ReviewMetrics {
  const observer = (name: string, what: string): ObserveReview => {
    const total = new SeriesCounter({
      name: `apiserver_delegated_${name}_request_total`,
      help: `Questions to the API server about ${what}, by the code of the answer.`,
      registry,
    });
    const durations = new SeriesHistogram({
      name: `apiserver_delegated_${name}_request_duration_seconds`,
      help: `Time that questions to the API server about ${what} took, in seconds, by the code of the answer.`,
      buckets,
      registry,
    });
    return (status, seconds) => {
      const code = status === undefined ? noAnswer : String(status);
      total.series({ code }).inc();
      durations.series({ code }).observe(seconds);
    };
  };
  return { authentication: observer('authn', 'tokens'), authorization: observer('authz', 'what users may do') };
}
