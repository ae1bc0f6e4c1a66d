/** Allocates the cluster IPs of one family. */
import { formatIp, parseIp } from '../../../../machinery/formats/addresses.ts';
import type { RangeAllocator } from './range-allocator.ts';
import type { IpRange } from './ranges.ts';
import { noObserver, ValueAllocator } from './value-allocator.ts';

export type IpAllocator = ValueAllocator<string, IpRange>;

const canonical = (text: string): string => {
  const ip = parseIp(text);
  return ip === undefined ? text : formatIp(ip);
};

export const createIpAllocator = (range: IpRange, numbers: RangeAllocator, observe = noObserver): IpAllocator =>
  new ValueAllocator(
    range,
    numbers,
    {
      taken: 'provided IP is already allocated',
      notInRange: (ip, text) =>
        `the provided IP (${canonical(ip)}) is not in the valid range. The range of valid IPs is ${text}`,
    },
    observe,
  );
