/**
 * Keeps EndpointSlices that say the same as Endpoints of services without a selector, so that clients need to read
 * slices alone.
 * @see {@link https://kubernetes.io/docs/concepts/services-networking/service/#endpointslice-mirroring |
 *   EndpointSlice mirroring}
 */
import type { Endpoints } from '../../api/gen/types/core-v1.ts';
import { changesOf, type Trigger } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { noChanges, serviceKeysOf, sliceRateLimiter, writeSlices } from '../shared/slice-changes.ts';
import { SliceMetrics } from '../shared/slice-metrics.ts';
import { eventsOf } from '../shared/triggers.ts';
import { isForMirroring, mayBeMirrored, mirroredBy, type Mirrored, mirrorOf } from './sync.ts';

/** The index of slices by the key of their Endpoints, for those of this controller. */
const endpointsIndex = 'mirrored-endpoints';
const metricPrefix = 'endpoint_slice_mirroring_controller';
/** 1 ms to 16 s. */
const durationBuckets = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);

export function startEndpointSliceMirroring(context: ControllerContext): void {
  const { client, events, clock } = context;
  const services = context.informer(client.core.v1.services);
  const endpoints = context.informer(client.core.v1.endpoints);
  const slices = context.informer(client.discovery.v1.endpointslices);
  const cache = context.mutationCache(slices);
  const keysOf = serviceKeysOf(mirroredBy);
  cache.addIndex(endpointsIndex, keysOf);
  const { concurrentSyncs, maxEndpointsPerSubset, updatesBatchPeriodMs } = context.options.endpointSliceMirroring;
  const metrics = new SliceMetrics(context.metrics, metricPrefix);
  context.onStop(() => metrics.forgetAll());
  const writer = { client, cache, metrics };

  const sync = async (key: string): Promise<undefined> => {
    const begun = clock.now();
    const source = endpoints.objects.get(key);
    const service = services.objects.get(key);
    const existing = cache.byIndex(endpointsIndex, key);
    if (source === undefined || service === undefined || !mayBeMirrored(source) || !isForMirroring(service)) {
      metrics.totals(key, undefined);
      const [namespace = '', name = ''] = key.split('/');
      const owner = { kind: 'Endpoints', metadata: { namespace, name } };
      await writeSlices(owner, { ...noChanges(), remove: [...existing] }, writer);
    } else {
      const mirrored = mirrorOf(source, existing, maxEndpointsPerSubset);
      report(source, mirrored);
      measure(key, existing.length, mirrored);
      await writeSlices({ ...source, kind: 'Endpoints' }, mirrored.changes, writer);
    }
    const seconds = (clock.now() - begun) / 1000;
    metrics.observe('endpoints_sync_duration', 'Time of a sync, in seconds.', seconds, durationBuckets);
    return undefined;
  };

  const report = (source: Endpoints, { invalid, skipped }: Mirrored): void => {
    const about = { ...source, apiVersion: 'v1', kind: 'Endpoints' };
    if (invalid > 0) {
      const message = `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`;
      events.event(about, 'Warning', 'InvalidIPAddress', message);
    }
    if (skipped > invalid) {
      const what = 'addresses can be mirrored to EndpointSlices per Endpoints subset';
      events.event(
        about,
        'Warning',
        'TooManyAddressesToMirror',
        `A max of ${maxEndpointsPerSubset} ${what}. ${skipped} addresses were skipped`,
      );
    }
  };

  const measure = (key: string, before: number, { changes, endpoints: count, skipped, counts }: Mirrored): void => {
    metrics.synced(counts, ['added', 'updated', 'removed']);
    metrics.observe('addresses_skipped_per_sync', 'Addresses of a sync that were not mirrored.', skipped);
    const slicesNow = before + changes.create.length - changes.remove.length;
    const wantedSlices = changes.create.length + changes.update.length + changes.unchanged.length;
    metrics.totals(key, { endpoints: count, slices: slicesNow, wantedSlices });
  };

  const changesOfSlices: Trigger = {
    ...changesOf(slices, keysOf),
    attach: (add) => changesOf(slices, keysOf).attach((key) => add(key, updatesBatchPeriodMs)),
  };
  context.work({
    queue: 'endpoint_slice_mirroring',
    workers: concurrentSyncs,
    triggers: [
      eventsOf(endpoints, (add) => ({
        onAdd: (object) => void (mayBeMirrored(object) && add(endpoints.keyOf(object))),
        onUpdate: (before, after) =>
          void ((mayBeMirrored(before) || mayBeMirrored(after)) && add(endpoints.keyOf(after))),
        onDelete: (object) => void (mayBeMirrored(object) && add(endpoints.keyOf(object))),
      })),
      eventsOf(services, (add) => ({
        onAdd: (service) => void (isForMirroring(service) && add(services.keyOf(service))),
        onUpdate: (before, after) =>
          void (isForMirroring(before) !== isForMirroring(after) && add(services.keyOf(after))),
        onDelete: (service) => void (isForMirroring(service) && add(services.keyOf(service))),
      })),
      changesOfSlices,
    ],
    sync,
    rateLimiter: sliceRateLimiter(clock),
  });
}
