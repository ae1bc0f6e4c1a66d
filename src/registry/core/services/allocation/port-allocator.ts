/** Allocates node ports. */
import type { RangeAllocator } from './range-allocator.ts';
import type { PortRange } from './ranges.ts';
import { noObserver, ValueAllocator } from './value-allocator.ts';

export type PortAllocator = ValueAllocator<number, PortRange>;

export const createPortAllocator = (range: PortRange, numbers: RangeAllocator, observe = noObserver): PortAllocator =>
  new ValueAllocator(
    range,
    numbers,
    {
      taken: 'provided port is already allocated',
      notInRange: (_port, text) => `provided port is not in the valid range. The range of valid ports is ${text}`,
    },
    observe,
  );
