/** Private addresses that follow from the place of a node among the nodes of its prefix. */
import { type AddressRange, formatAddress } from './pod-ips.ts';

const nodeBase = 0x0a40_0000; // 10.64.0.0/10
const podBase = 0x0a80_0000; // 10.128.0.0/9
const rangeSize = 256;
const ranges = 2 ** 15;

/** Nodes of different prefixes begin at different places, so that those of several processes seldom meet. */
export function nodePlace(namePrefix: string, index: number): number {
  let hash = 0x811c9dc5;
  for (const character of namePrefix === defaultNamePrefix ? '' : namePrefix)
    hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193) >>> 0;
  const begin = namePrefix === defaultNamePrefix ? 0 : hash % ranges;
  return (begin + index) % ranges;
}

export const defaultNamePrefix = 'hollow-node-';

export const nodeAddress = (place: number): string => formatAddress(nodeBase + 1 + place);

/** For nodes without `spec.podCIDR`. */
export const podRange = (place: number): AddressRange => ({ first: podBase + place * rangeSize, size: rangeSize });
