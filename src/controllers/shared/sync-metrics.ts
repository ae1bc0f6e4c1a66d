/** Metrics of controllers that publish something: how often and how long they looked, by the code of the answer. */
import { SeriesCounter } from '../../server/metrics/series-counter.ts';
import { SeriesHistogram } from '../../server/metrics/series-histogram.ts';
import type { ControllerContext } from '../manager/context.ts';
import { metricOf } from './metrics.ts';

/** 1 ms to 16 s. */
const bucketCount = 15;
const buckets = Array.from({ length: bucketCount }, (_, power) => 0.001 * 2 ** power);

/** @param what is looked at, for the help of the metrics */
export function syncMetrics(
  { metrics }: Pick<ControllerContext, 'metrics'>,
  prefix: string,
  what: string,
): (code: string, ms: number) => void {
  if (metrics === undefined) return () => undefined;
  const total = metricOf(
    metrics,
    `${prefix}_sync_total`,
    (name) => new SeriesCounter({ name, help: `Looks at ${what}.`, registry: metrics }),
  );
  const seconds = metricOf(metrics, `${prefix}_sync_duration_seconds`, (name) => {
    const help = `Time a look at ${what} took, in seconds.`;
    return new SeriesHistogram({ name, help, buckets, registry: metrics });
  });
  return (code, ms) => {
    total.series({ code }).inc();
    seconds.series({ code }).observe(ms / 1000);
  };
}
