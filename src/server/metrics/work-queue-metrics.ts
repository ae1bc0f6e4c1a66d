/** What work by key tells of itself, under the names that controllers have for their queues. */
import { Gauge } from 'prom-client';
import type { WorkQueueObserver } from '../../reconcile/work-queue.ts';
import type { MetricRegistry } from './metric-registry.ts';
import { SeriesCounter } from './series-counter.ts';
import { SeriesGauge } from './series-gauge.ts';
import { SeriesHistogram } from './series-histogram.ts';

/** An observer for the queue of a name. */
export type WorkQueueMetrics = (name: string) => WorkQueueObserver;

/** What the reference shows: its rounding errors are part of their names. */
const buckets = [1e-8, 1e-7, 1e-6, 9.999999999999999e-6, 9.999999999999999e-5, 0.001, 0.01, 0.1, 1, 10];
const secondsSince = (begun: number): number => (performance.now() - begun) / 1000;

export function createWorkQueueMetrics(registry: MetricRegistry): WorkQueueMetrics {
  const adds = new SeriesCounter({ name: 'workqueue_adds_total', help: 'Keys that were put into a queue.', registry });
  const depth = new SeriesGauge({ name: 'workqueue_depth', help: 'Keys that wait in a queue.', registry });
  const waits = new SeriesHistogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'Time a key waited in a queue, in seconds.',
    buckets,
    registry,
  });
  const works = new SeriesHistogram({
    name: 'workqueue_work_duration_seconds',
    help: 'Time the work on a key took, in seconds.',
    buckets,
    registry,
  });
  const retries = new SeriesCounter({
    name: 'workqueue_retries_total',
    help: 'Keys that were put into a queue again because the work on them failed.',
    registry,
  });
  /** When the work began that is under way, by queue. */
  const running = new Map<string, Set<{ readonly begun: number }>>();
  const shown = (name: string, help: string, of: (seconds: readonly number[]) => number): void => {
    new Gauge({
      name,
      help,
      labelNames: ['name'],
      registers: [registry],
      collect() {
        for (const [queue, works] of running)
          this.set({ name: queue }, of([...works].map(({ begun }) => secondsSince(begun))));
      },
    });
  };
  shown(
    'workqueue_unfinished_work_seconds',
    'Time that the work under way has taken together, in seconds.',
    (seconds) => seconds.reduce((sum, each) => sum + each, 0),
  );
  shown(
    'workqueue_longest_running_processor_seconds',
    'Time that the longest work under way has taken, in seconds.',
    (seconds) => Math.max(0, ...seconds),
  );
  return (name) => {
    const series = {
      adds: adds.series({ name }),
      depth: depth.series({ name }),
      waits: waits.series({ name }),
      works: works.series({ name }),
      retries: retries.series({ name }),
    };
    const current = new Set<{ readonly begun: number }>();
    running.set(name, current);
    return {
      waits() {
        series.adds.inc();
        series.depth.add(1);
        const added = performance.now();
        return () => {
          series.depth.add(-1);
          series.waits.observe(secondsSince(added));
          const work = { begun: performance.now() };
          current.add(work);
          return () => {
            current.delete(work);
            series.works.observe(secondsSince(work.begun));
          };
        };
      },
      retries: () => series.retries.inc(),
    };
  };
}
