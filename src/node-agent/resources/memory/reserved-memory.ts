/** What of the memory of NUMA nodes is kept back from containers, and what is left. */
import type { MemoryReservation } from '../../config/fields/resources.ts';
import { parseQuantity, Quantity } from '../../../machinery/quantity.ts';
import type { NumaNode } from '../numa-nodes.ts';
import { OptionError } from '../policy-options.ts';
import type { MachineMemory, MemoryTable } from './memory-state.ts';

/**
 * The memory of a machine before any container has some.
 * @param nodeReserved bytes of `memory` that the node keeps back in all
 * Throws an `OptionError`.
 */
export function machineMemory(
  nodes: readonly NumaNode[],
  reservations: readonly MemoryReservation[],
  nodeReserved: number,
): MachineMemory {
  const reserved = reservedByNode(nodes, reservations);
  const total = [...reserved.values()].reduce((sum, amounts) => sum + (amounts.get('memory') ?? 0), 0);
  if (total !== nodeReserved)
    throw new OptionError(
      `the total amount "${bytesText(total)}" of type "memory" is not equal to the value ` +
        `"${bytesText(nodeReserved)}" determined by Node Allocatable feature`,
    );
  if (total === 0) throw new OptionError('[memorymanager] you should specify the system reserved memory');
  return Object.fromEntries(
    nodes.map((node) => {
      const kept = (type: string): number => reserved.get(node.id)?.get(type) ?? 0;
      const pages = node.hugePages.map(({ sizeBytes, count }) => ({
        type: `hugepages-${bytesText(sizeBytes)}`,
        bytes: sizeBytes * count,
      }));
      const inPages = pages.reduce((sum, { bytes }) => sum + bytes, 0);
      const memoryMap = {
        ...Object.fromEntries(pages.map(({ type, bytes }) => [type, tableOf(bytes, kept(type))])),
        memory: tableOf(node.memoryBytes, kept('memory'), inPages),
      };
      return [node.id, { numberOfAssignments: 0, memoryMap, cells: [node.id] }];
    }),
  );
}

const bytesText = (bytes: number): string => new Quantity(BigInt(bytes), 0, 'BinarySI').toString();

function tableOf(total: number, systemReserved: number, inPages = 0): MemoryTable {
  const allocatable = Math.max(0, total - systemReserved - inPages);
  return { total, systemReserved, allocatable, reserved: 0, free: allocatable };
}

function reservedByNode(
  nodes: readonly NumaNode[],
  reservations: readonly MemoryReservation[],
): ReadonlyMap<number, ReadonlyMap<string, number>> {
  const reserved = new Map<number, Map<string, number>>();
  for (const { numaNode, limits } of reservations) {
    if (!nodes.some(({ id }) => id === numaNode))
      throw new OptionError(
        `the reserved memory configuration references a NUMA node ${numaNode} that does not exist on this machine`,
      );
    const amounts = reserved.get(numaNode) ?? new Map<string, number>();
    reserved.set(numaNode, amounts);
    for (const [type, text] of Object.entries(limits)) {
      if (amounts.has(type))
        throw new OptionError(
          `the reserved memory has a duplicate value for NUMA node ${numaNode} and resource "${type}"`,
        );
      amounts.set(type, parseQuantity(text).toNumber());
    }
  }
  return reserved;
}
