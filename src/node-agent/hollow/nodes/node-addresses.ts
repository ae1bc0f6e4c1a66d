/** Private addresses that follow from the place of a node among the nodes of its prefix. */
import { type AddressRange, formatAddress } from './pod-ips.ts';

const nodeBase = 0x0a40_0000; // 10.64.0.0/10
const podBase = 0x0a80_0000; // 10.128.0.0/9
const podSpace = 2 ** 23;
const leastRange = 256;

/** How many addresses a node has for so many pods: those that have just ended keep theirs for a while. */
export const rangeSizeFor = (pods: number): number =>
  Math.min(podSpace, Math.max(leastRange, 2 ** Math.ceil(Math.log2(pods * 1.25 + 3))));

/** Nodes of different prefixes begin at different places, so that those of several processes seldom meet. */
export function nodePlace(namePrefix: string, index: number, rangeSize = leastRange): number {
  const ranges = podSpace / rangeSize;
  let hash = 0x811c9dc5;
  for (const character of namePrefix === defaultNamePrefix ? '' : namePrefix)
    hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193) >>> 0;
  const begin = namePrefix === defaultNamePrefix ? 0 : hash % ranges;
  return (begin + index) % ranges;
}

export const defaultNamePrefix = 'hollow-node-';

export const nodeAddress = (place: number): string => formatAddress(nodeBase + 1 + place);

/** For nodes without `spec.podCIDR`. */
export const podRange = (place: number, size = leastRange): AddressRange => ({ first: podBase + place * size, size });
