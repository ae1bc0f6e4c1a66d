/**
 * Brings IPAddress objects in line with the services that are there. Clusters come from bitmaps, whose services have no
 * objects yet; servers can end between making an object and writing its service; clients can delete objects.
 *
 * What services hold gets its object. An object of no service may belong to one that is being written: it is removed
 * only when it is older than any write can take. Objects that clients made are left alone.
 */
import { clusterIpsOf, familyOf, noClusterIp } from '../../../../api/core/services/fields.ts';
import type { Service } from '../../../../api/gen/types/core-v1.ts';
import type { IPAddress } from '../../../../api/gen/types/networking-v1beta1.ts';
import type { Logger } from '../../../../base/logger.ts';
import { parseUtcSeconds } from '../../../../machinery/time.ts';
import { rangesOf } from './address-allocator.ts';
import { type AddressObjects, addressOf, belongsTo, isAllocated } from './address-objects.ts';
import type { Finding } from './observer.ts';
import { RepairReport } from './repair-report.ts';
import type { ServiceReader } from './service-reader.ts';

export interface AddressRepairOptions {
  readonly objects: AddressObjects;
  readonly services: ServiceReader;
  readonly found: (finding: Finding) => void;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly wallTime: () => number;
  /** How old an object of no service is when it is removed. */
  readonly leakAgeMs: number;
}

export const heldIps = (service: Service): readonly string[] =>
  service.spec.type === 'ExternalName' ? [] : clusterIpsOf(service).filter((ip) => ip !== noClusterIp && ip !== '');

/** One round. */
export async function repairAddresses(options: AddressRepairOptions): Promise<void> {
  const { objects, services, found, log } = options;
  // Before the services: an object that is made later is one of a service that may not be in the list.
  const addresses = new Map((await objects.addresses()).map((address) => [address.metadata.name ?? '', address]));
  const ranges = rangesOf(await objects.ranges());
  const report = new RepairReport({ range: 'ipaddresses', of: ranges.map(({ text }) => text).join(','), found, log });
  const holders = new Map<string, Service>();
  const missing: IPAddress[] = [];
  const wrong: IPAddress[] = [];
  await services.visit((stored) => {
    const service = services.decode(stored);
    for (const ip of heldIps(service)) {
      if (ranges.every((range) => range.numberOf(ip) === undefined)) report.add('outOfRange', ip, () => service);
      if (holders.has(ip)) {
        report.add('duplicate', ip, () => service);
        continue;
      }
      holders.set(ip, service);
      const address = addresses.get(ip);
      if (address !== undefined && belongsTo(address, service)) continue;
      if (address !== undefined) wrong.push(address);
      missing.push(addressOf(ip, familyOf(ip), service));
      report.add('repair', ip, () => service);
    }
  });
  for (const [ip, address] of addresses)
    if (!holders.has(ip) && isAllocated(address) && isOld(address, options)) {
      wrong.push(address);
      report.add('leak', ip);
    }
  for (const address of wrong) await objects.remove(address);
  for (const address of missing) await objects.create(address);
  report.tell();
}

function isOld({ metadata }: IPAddress, { wallTime, leakAgeMs }: AddressRepairOptions): boolean {
  const made = parseUtcSeconds(metadata.creationTimestamp ?? '');
  return made === undefined || wallTime() - made * 1000 >= leakAgeMs;
}
