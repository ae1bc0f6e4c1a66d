/**
 * The ranges of one server: their storage, their allocators, and their repair. With feature gate
 * MultiCIDRServiceAllocator the ranges of cluster IPs are those of ServiceCIDR objects.
 */
import type { IPFamily, Service } from '../../../../api/gen/types/core-v1.ts';
import { type Clock, systemClock } from '../../../../base/clock.ts';
import type { Logger } from '../../../../base/logger.ts';
import type { Codecs } from '../../../../machinery/codec/index.ts';
import type { Store } from '../../../../storage/interface.ts';
import type { StorageMediaType } from '../../../generic/storage-codec.ts';
import { createInternalStorageCodec } from '../../../generic/internal-storage-codec.ts';
import type { ResourceStores } from '../../../resource-stores.ts';
import { createAddressAllocator } from './address-allocator.ts';
import type { AddressObjects } from './address-objects.ts';
import { heldIps, repairAddresses } from './address-repair.ts';
import { bitmapAllocator, type ClusterIpAllocator } from './cluster-ip-allocator.ts';
import { type AllocationObserver, type Finding, noObserver, type ObservedRange, type RangeUsage } from './observer.ts';
import { RangeAllocator } from './range-allocator.ts';
import { RangeObject } from './range-object.ts';
import { createIpRange, createPortRange, type IpRange } from './ranges.ts';
import { type HeldValues, RangeRepair, repairedIps, repairedPorts, usualLeakAgeMs } from './repair.ts';
import { ServiceAllocator } from './service-allocations.ts';
import { createServiceReader } from './service-reader.ts';
import { StoredReleases } from './stored-releases.ts';
import { createIpAllocator, type IpAllocator } from './ip-allocator.ts';
import { createPortAllocator } from './port-allocator.ts';
import type { Observe } from './value-allocator.ts';

export interface ServiceRangesOptions {
  /** The store of services: what a service holds is kept where it is kept. */
  readonly store: Store;
  /** `/registry` */
  readonly prefix: string;
  readonly mediaType: StorageMediaType;
  readonly codecs: Codecs;
  /** One CIDR, or two of different families. */
  readonly clusterIpRanges: readonly string[];
  readonly nodePortRange: { readonly first: number; readonly last: number };
  /** Where a repair finds the services. */
  readonly stores: Pick<ResourceStores, 'storeOf'>;
  readonly observer?: AllocationObserver;
  readonly log: Logger;
  readonly clock?: Clock;
  /** Uniform in [0, 1); which free value is given out. */
  readonly random?: () => number;
  /** Ranges are ServiceCIDR objects, and addresses are IPAddress objects. */
  readonly addressObjects?: {
    readonly objects: AddressObjects;
    /** The bitmaps are kept as well, for servers that know nothing else. */
    readonly withBitmaps: boolean;
  };
  /** See `RangeRepairOptions`. */
  readonly leakAgeMs?: number;
  /** Milliseconds since 1970. */
  readonly wallTime?: () => number;
}

export interface ServiceRanges {
  readonly allocator: ServiceAllocator;
  /** The ranges of the command line where they are to be a ServiceCIDR object too. */
  readonly defaultCidrs: readonly string[] | undefined;
  /** The range of the cluster's first family. */
  readonly primary: IpRange;
  /** One round over all ranges. */
  repair(): Promise<void>;
  /** Of the ranges that this server has looked at. */
  usage(): RangeUsage[];
}

/** No write of a service takes longer; upstream's value. */
const slowestWriteMs = 60_000;
/** Upstream's names, below `<prefix>/ranges/`. Below `<prefix>/range-releases/` is what upstream knows nothing of. */
const names = { ips: ['serviceips', 'secondaryserviceips'], ports: 'servicenodeports' } as const;

export function createServiceRanges(options: ServiceRangesOptions): ServiceRanges {
  const { clusterIpRanges, nodePortRange, observer = noObserver, log } = options;
  const { clock = systemClock, leakAgeMs = usualLeakAgeMs, random = Math.random } = options;
  const makeObject = objectMaker(options);
  const repairs: { readonly about: ObservedRange; run(): Promise<void> }[] = [];
  const allocators: { readonly about: ObservedRange; readonly size: number; readonly allocator: RangeAllocator }[] = [];
  const services = createServiceReader(options.stores);
  const allocatorOf = <V extends string | number>(
    about: ObservedRange,
    name: string,
    held: HeldValues<V>,
  ): RangeAllocator => {
    const { range } = held;
    const object = makeObject(name);
    const releases = new StoredReleases(options.store, `${options.prefix}/range-releases/${name}`);
    const found = (finding: Finding): void => observer.found(about, finding);
    const repair = new RangeRepair({ ...held, object, releases, services, log, clock, leakAgeMs, found });
    repairs.push({ about, run: () => repair.run() });
    const allocator = new RangeAllocator({ object, releases, range, rebuild: () => repair.run(), random });
    allocators.push({ about, size: range.size, allocator });
    return allocator;
  };
  const observeOf =
    (about: ObservedRange): Observe =>
    (scope, failed, milliseconds) =>
      observer.asked(about, scope, failed, milliseconds);
  const { addressObjects } = options;
  const ips = new Map<IPFamily, ClusterIpAllocator>();
  const ipRanges = clusterIpRanges.map(createIpRange);
  ipRanges.forEach((range, i) => {
    const about: ObservedRange = { kind: 'clusterIp', text: range.text };
    const bitmap = (held: HeldValues<string>, observe?: Observe): IpAllocator =>
      createIpAllocator(range, allocatorOf(about, names.ips[i]!, held), observe);
    if (addressObjects === undefined) {
      ips.set(range.family, bitmapAllocator(bitmap(repairedIps(range), observeOf(about))));
      return;
    }
    const { objects, withBitmaps } = addressObjects;
    const { family, network } = range;
    // What other ranges have is no concern of the bitmap.
    const held = {
      range,
      heldBy: (service: Service) => heldIps(service).filter((ip) => range.numberOf(ip) !== undefined),
    };
    const parts = { objects, bitmap: withBitmaps ? bitmap(held) : undefined, observer, random };
    ips.set(family, createAddressAllocator({ family, network, ...parts }));
  });
  if (addressObjects !== undefined) {
    const { objects } = addressObjects;
    const about: ObservedRange = { kind: 'clusterIp', text: '' };
    const found = (finding: Finding): void => observer.found(about, finding);
    const wallTime = options.wallTime ?? Date.now;
    const parts = { objects, services, found, log, wallTime, leakAgeMs: Math.max(leakAgeMs, slowestWriteMs) };
    repairs.push({ about, run: () => repairAddresses(parts) });
  }
  const portRange = createPortRange(nodePortRange);
  const about: ObservedRange = { kind: 'nodePort', text: portRange.text };
  const numbers = allocatorOf(about, names.ports, repairedPorts(portRange));
  const ports = createPortAllocator(portRange, numbers, observeOf(about));
  return {
    allocator: new ServiceAllocator({ ips, ports, log }),
    defaultCidrs: addressObjects === undefined ? undefined : ipRanges.map(({ text }) => text),
    primary: ipRanges[0]!,
    async repair() {
      for (const { about: range, run } of repairs) {
        try {
          await run();
        } catch (error) {
          observer.repairFailed(range);
          throw error;
        }
      }
    },
    usage: () =>
      allocators.flatMap(({ about: range, size, allocator: { taken } }) =>
        taken === undefined ? [] : [{ ...range, taken, free: size - taken }],
      ),
  };
}

function objectMaker({ store, prefix, mediaType, codecs }: ServiceRangesOptions): (name: string) => RangeObject {
  const storageCodec = createInternalStorageCodec({
    apiVersion: 'v1',
    kind: 'RangeAllocation',
    typeId: 'core/v1.RangeAllocation',
    codecs,
    mediaType,
  });
  return (name) => new RangeObject({ store, key: `${prefix}/ranges/${name}`, storageCodec });
}
