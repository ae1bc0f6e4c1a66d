/**
 * Requests to the store, and the counts of the watch caches, which are read when metrics are collected.
 *
 * @NOTE differs from upstream: the store can be the embedded one, and a page reads no further than its end.
 */
import type { Registry } from 'prom-client';
import type { StorageCounts } from '../../storage/storage-counts.ts';
import type { StoreObserver, StoreOperation } from '../../storage/observed-store.ts';
import type { CounterSeries } from '../../server/metrics/series-counter.ts';
import { SeriesCounter } from '../../server/metrics/series-counter.ts';
import { type HistogramSeries, SeriesHistogram } from '../../server/metrics/series-histogram.ts';
import { type MetricValue, showValues } from '../../server/metrics/series.ts';

export interface CountedStorage {
  /** `pods`, `deployments.apps` */
  readonly resource: string;
  /** `/pods`, `/deployments` */
  readonly prefix: string;
  readonly counts: StorageCounts;
}

export interface StorageMetrics {
  /** For the calls of the store about one resource. */
  observerOf(resource: string): StoreObserver;
  /** For the reads of one resource that wait for its cache. */
  waitsOf(resource: string): (milliseconds: number) => void;
  /** A lease takes no more objects; it got so many. */
  leaseReplaced(objects: number): void;
}

const requestBuckets = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
const waitBuckets = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3];

/** @param opened the storages that are in use, asked for when the metrics are */
export function createStorageMetrics(registry: Registry, opened: () => readonly CountedStorage[]): StorageMetrics {
  const durations = new SeriesHistogram({
    name: 'etcd_request_duration_seconds',
    help: 'Time that calls of the store took, in seconds, by operation and resource.',
    buckets: requestBuckets,
    registry,
  });
  const requests = new SeriesCounter({
    name: 'etcd_requests_total',
    help: 'Calls of the store, by operation and resource.',
    registry,
  });
  const errors = new SeriesCounter({
    name: 'etcd_request_errors_total',
    help: 'Calls of the store that failed, by operation and resource.',
    registry,
  });
  const waits = new SeriesHistogram({
    name: 'apiserver_watch_cache_read_wait_seconds',
    help: 'Time that reads waited for the watch cache to be as new as they asked for, in seconds.',
    buckets: waitBuckets,
    registry,
  });
  const leaseObjects = new SeriesHistogram({
    name: 'etcd_lease_object_counts',
    help: 'Objects that a lease of the store got before another took its place.',
    buckets: [10, 50, 100, 500, 1000, 2500, 5000],
    registry,
  });
  for (const { name, help, type = 'counter', values } of shown)
    showValues({ name, help, type, registry }, () => opened().flatMap(values));
  return {
    observerOf(resource) {
      const known = new Map<StoreOperation, { duration: HistogramSeries; total: CounterSeries }>();
      return (operation, milliseconds, failed) => {
        const labels = { operation, type: resource };
        let series = known.get(operation);
        if (series === undefined)
          known.set(operation, (series = { duration: durations.series(labels), total: requests.series(labels) }));
        series.duration.observe(milliseconds / 1000);
        series.total.inc();
        if (failed) errors.series(labels).inc();
      };
    },
    waitsOf(resource) {
      const series = waits.series({ resource });
      return (milliseconds) => series.observe(milliseconds / 1000);
    },
    leaseReplaced: (objects) => leaseObjects.series({}).observe(objects),
  };
}

interface ShownCount {
  readonly name: string;
  readonly help: string;
  readonly type?: 'counter' | 'gauge';
  values(storage: CountedStorage): readonly MetricValue[];
}

/** Nothing is shown of what has not happened. */
const byResource =
  (count: (counts: StorageCounts) => number | undefined) =>
  ({ resource, counts }: CountedStorage): MetricValue[] => {
    const value = count(counts) ?? 0;
    return value === 0 ? [] : [{ labels: { resource }, value }];
  };

const shown: readonly ShownCount[] = [
  {
    name: 'apiserver_storage_list_total',
    help: 'Lists that the store answered.',
    values: byResource(({ store }) => store.lists),
  },
  {
    name: 'apiserver_storage_list_fetched_objects_total',
    help: 'Objects that the store gave for lists.',
    values: byResource(({ store }) => store.fetched),
  },
  {
    name: 'apiserver_storage_list_evaluated_objects_total',
    help: 'Objects that were looked at for lists that the store answered.',
    values: byResource(({ store }) => store.fetched),
  },
  {
    name: 'apiserver_storage_list_returned_objects_total',
    help: 'Objects in lists that the store answered.',
    values: byResource(({ store }) => store.returned),
  },
  {
    name: 'apiserver_storage_events_received_total',
    help: 'Changes that the store told of.',
    values: byResource(({ eventsReceived }) => eventsReceived),
  },
  {
    name: 'apiserver_watch_cache_events_received_total',
    help: 'Changes that came to the watch cache.',
    values: byResource(({ eventsReceived }) => eventsReceived),
  },
  {
    name: 'apiserver_watch_cache_events_dispatched_total',
    help: 'Changes that the watch cache handed to its watchers.',
    values: byResource(({ eventsDispatched }) => eventsDispatched),
  },
  {
    name: 'apiserver_watch_cache_initializations_total',
    help: 'How often the watch cache was filled.',
    values: byResource(({ initializations }) => initializations),
  },
  {
    name: 'apiserver_watch_cache_resource_version',
    help: 'Up to which version the watch cache knows every change.',
    type: 'gauge',
    values: byResource(({ revision }) => revision?.()),
  },
  {
    name: 'watch_cache_capacity',
    help: 'Changes for which the window of the watch cache has place.',
    type: 'gauge',
    values: byResource(({ window }) => window.capacity),
  },
  {
    name: 'watch_cache_capacity_increase_total',
    help: 'How often the window of the watch cache became larger.',
    values: byResource(({ window }) => window.increases),
  },
  {
    name: 'watch_cache_capacity_decrease_total',
    help: 'How often the window of the watch cache became smaller.',
    values: byResource(({ window }) => window.decreases),
  },
  {
    name: 'etcd_bookmark_counts',
    help: 'How often the store said up to where its events are known.',
    type: 'gauge',
    values: byResource(({ progressNotifications }) => progressNotifications),
  },
  {
    name: 'apiserver_storage_decode_errors_total',
    help: 'Stored values that are no objects.',
    values: byResource(({ decodeErrors }) => decodeErrors),
  },
  {
    name: 'apiserver_init_events_total',
    help: 'Events that watches of the cache began with.',
    values: byResource(({ initialEvents }) => initialEvents),
  },
  {
    name: 'apiserver_terminated_watchers_total',
    help: 'Watches that were ended because their reader was too slow.',
    values: byResource(({ terminatedWatchers }) => terminatedWatchers),
  },
  {
    name: 'apiserver_watch_cache_consistent_read_total',
    help: 'Lists at the most recent version, by whether the cache could answer them.',
    values: ({ prefix, counts: { consistent } }) => [
      ...(consistent.answered === 0
        ? []
        : [{ labels: { resource: prefix, success: 'true', fallback: 'false' }, value: consistent.answered }]),
      ...(consistent.left === 0
        ? []
        : [{ labels: { resource: prefix, success: 'true', fallback: 'true' }, value: consistent.left }]),
    ],
  },
  {
    name: 'apiserver_cache_list_total',
    help: 'Lists that the watch cache answered, by the index that was used.',
    values: ({ prefix, counts }) =>
      [...counts.cache].map(([index, { lists }]) => ({ labels: { resource_prefix: prefix, index }, value: lists })),
  },
  {
    name: 'apiserver_cache_list_fetched_objects_total',
    help: 'Objects that the watch cache looked at for lists, by the index that was used.',
    values: ({ prefix, counts }) =>
      [...counts.cache].map(([index, { fetched }]) => ({ labels: { resource_prefix: prefix, index }, value: fetched })),
  },
  {
    name: 'apiserver_cache_list_returned_objects_total',
    help: 'Objects in lists that the watch cache answered.',
    values: ({ prefix, counts }) =>
      counts.cache.size === 0
        ? []
        : [
            {
              labels: { resource_prefix: prefix },
              value: [...counts.cache.values()].reduce((sum, { returned }) => sum + returned, 0),
            },
          ],
  },
];
