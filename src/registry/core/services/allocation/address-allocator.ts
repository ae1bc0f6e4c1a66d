/**
 * Cluster IPs of one family out of the ranges that ServiceCIDR objects name. An address is taken by the IPAddress
 * object of its name: of two servers one can make it.
 *
 * Addresses of the range of the command line are taken in its bitmap as well, as long as servers that know bitmaps only
 * may run beside this one (until feature gate DisableAllocatorDualWrite is on).
 *
 * @see {@link https://kep.k8s.io/1880 | KEP-1880}
 */
import type { IPFamily, Service } from '../../../../api/gen/types/core-v1.ts';
import { formatIp, parseIp } from '../../../../machinery/formats/addresses.ts';
import { AllocationError } from './allocation-errors.ts';
import { type AddressObjects, addressOf, belongsTo, isReady } from './address-objects.ts';
import type { ClusterIpAllocator } from './cluster-ip-allocator.ts';
import type { IpAllocator } from './ip-allocator.ts';
import { createIpRange, type IpRange } from './ranges.ts';
import type { Owned } from './value-allocator.ts';
import type { AllocationObserver } from './observer.ts';

export interface AddressAllocatorOptions {
  readonly family: IPFamily;
  readonly objects: AddressObjects;
  /** The range of the command line, where bitmaps are kept too. */
  readonly bitmap: IpAllocator | undefined;
  /** The address of the network of the range of the command line. */
  readonly network: string;
  readonly observer: Pick<AllocationObserver, 'asked'>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** As many addresses are tried at random before it is looked which ones are free. */
const randomTries = 8;
const taken = 'provided IP is already allocated';

const canonical = (text: string): string => {
  const ip = parseIp(text);
  return ip === undefined ? text : formatIp(ip);
};

/** As upstream; an address of two ranges is one of the smaller. */
export function rangesOf(cidrs: readonly { readonly spec: { readonly cidrs?: readonly string[] } }[]): IpRange[] {
  const texts = new Set(cidrs.flatMap(({ spec }) => spec.cidrs ?? []));
  return [...texts].map(createIpRange).sort((a, b) => a.size - b.size);
}

export function createAddressAllocator(options: AddressAllocatorOptions): ClusterIpAllocator {
  const { family, objects, bitmap, network, observer, random } = options;
  const ready = async (): Promise<readonly IpRange[]> =>
    rangesOf((await objects.ranges()).filter(isReady)).filter((range) => range.family === family);
  const rangeOf = async (ip: string): Promise<IpRange> => {
    const range = (await ready()).find((each) => each.numberOf(ip) !== undefined);
    if (range === undefined) throw new AllocationError('the provided network does not match the current range');
    return range;
  };
  const usesBitmap = (ip: string): boolean => bitmap?.range.numberOf(ip) !== undefined;
  const own = (ip: string, service: Service): Promise<boolean> =>
    objects.create(addressOf(canonical(ip), family, service));
  const observed = async <T>(text: string, scope: 'static' | 'dynamic', work: () => Promise<T>): Promise<T> => {
    const begun = performance.now();
    let failed = true;
    try {
      const result = await work();
      failed = false;
      return result;
    } finally {
      observer.asked({ kind: 'clusterIp', text }, scope, failed, performance.now() - begun);
    }
  };
  /** A bit of an address that has an object already stays: the repair releases it, as upstream's. */
  const take = async (ip: string, service: Service): Promise<Owned<string> | undefined> => {
    const owned = usesBitmap(ip) ? await bitmap!.allocate(ip) : { value: ip, since: 0 };
    return (await own(ip, service)) ? owned : undefined;
  };
  const takeFromBitmap = async (service: Service): Promise<Owned<string>> => {
    for (;;) {
      const owned = await bitmap!.allocateNext();
      if (await own(owned.value, service)) return owned;
    }
  };
  /** Undefined too when the bitmap has given it out. */
  const tryToTake = (ip: string, service: Service): Promise<Owned<string> | undefined> =>
    take(ip, service).catch((error: unknown) => {
      if (error instanceof AllocationError) return undefined;
      throw error;
    });
  const takeAny = async (range: IpRange, service: Service): Promise<Owned<string> | undefined> => {
    if (range.size === 0) return undefined;
    const { size, staticSize } = range;
    const dynamic = size - staticSize;
    for (let i = 0; i < randomTries && dynamic > 0; i++) {
      const owned = await tryToTake(range.valueOf(staticSize + Math.floor(random() * dynamic)), service);
      if (owned !== undefined) return owned;
    }
    const used = new Set((await objects.addresses()).map(({ metadata }) => range.numberOf(metadata.name ?? '')));
    const offset = staticSize + Math.floor(random() * dynamic);
    for (let i = 0; i < size; i++) {
      const number = (offset + i) % size;
      if (used.has(number)) continue;
      const owned = await tryToTake(range.valueOf(number), service);
      if (owned !== undefined) return owned;
    }
    return undefined;
  };
  return {
    network,
    async allocate(ip, service) {
      const range = await rangeOf(ip);
      return observed(range.text, 'static', async () => {
        const owned = await take(ip, service);
        if (owned === undefined) throw new AllocationError(taken);
        return owned;
      });
    },
    async allocateNext(service) {
      for (const range of await ready()) {
        try {
          return await observed(range.text, 'dynamic', async () => {
            if (range.text === bitmap?.range.text) return await takeFromBitmap(service);
            const owned = await takeAny(range, service);
            if (owned === undefined) throw new AllocationError('range is full');
            return owned;
          });
        } catch (error) {
          if (!(error instanceof AllocationError)) throw error;
        }
      }
      throw new AllocationError('range is full');
    },
    async check(ip) {
      await rangeOf(ip);
    },
    async release(ip, service) {
      const address = await objects.find(canonical(ip.value));
      if (address !== undefined && belongsTo(address, service)) await objects.remove(address);
      if (usesBitmap(ip.value)) await bitmap!.release(ip);
    },
    async guardsOf(ips, again) {
      const inBitmap = ips.filter(({ value }) => usesBitmap(value));
      if (inBitmap.length === 0) return [];
      const guard = await bitmap!.guardOf(inBitmap, again);
      return guard === undefined ? undefined : [guard];
    },
  };
}
