import { codecs } from '../../api/codecs.ts';
import { createServiceRanges, type ServiceRanges } from '../../registry/core/services/allocation/service-ranges.ts';
import { createAllocationEvents } from '../bootstrap/allocation-events.ts';
import { createAllocationMetrics, showRangeUsage } from '../metrics/allocation-metrics.ts';
import { createAddressObjects, hasAddressObjects } from '../loopback/address-objects.ts';
import type { SharedDependencies } from './shared-dependencies.ts';
import type { Loopback } from './loopback.ts';
import type { ResourceStorage } from './storage.ts';

/** The cluster IPs and node ports of services. What a repair of them finds is counted, and told as an event. */
export function createObservedServiceRanges(
  { config: { storage, services, log }, metrics, now, featureEnabled, groupVersions }: SharedDependencies,
  { stores, writer }: Loopback,
  { storeOf }: ResourceStorage,
): ServiceRanges {
  const allocations = createAllocationMetrics(metrics.registry);
  const allocationEvents = createAllocationEvents({ writer, now, log });
  const ranges = createServiceRanges({
    store: storeOf('', 'services'),
    prefix: storage.prefix,
    mediaType: storage.mediaType,
    codecs,
    clusterIpRanges: services.clusterIpRanges,
    nodePortRange: services.nodePortRange,
    stores,
    ...(hasAddressObjects(featureEnabled, groupVersions)
      ? {
          addressObjects: {
            objects: createAddressObjects(writer),
            withBitmaps: !featureEnabled('DisableAllocatorDualWrite'),
          },
        }
      : {}),
    log,
    observer: {
      ...allocations,
      found: (range, finding) => (allocations.found(range, finding), allocationEvents(range, finding)),
    },
  });
  showRangeUsage(metrics.registry, ranges);
  return ranges;
}
