/** What each NUMA node has of each kind of memory, and what of it is taken. */
import type { MachineMemory, MemoryTable } from './memory-state.ts';

interface Node {
  assignments: number;
  cells: readonly number[];
  readonly tables: Map<string, { -readonly [K in keyof MemoryTable]: number }>;
}

export class MemoryTables {
  readonly #nodes: ReadonlyMap<number, Node>;
  /** Ascending. */
  readonly nodes: readonly number[];

  constructor(machine: MachineMemory) {
    this.#nodes = new Map(
      Object.entries(machine).map(([id, { numberOfAssignments, cells, memoryMap }]) => [
        Number(id),
        {
          assignments: numberOfAssignments,
          cells,
          tables: new Map(Object.entries(memoryMap).map(([type, table]) => [type, { ...table }])),
        },
      ]),
    );
    this.nodes = [...this.#nodes.keys()].sort((a, b) => a - b);
  }

  get machine(): MachineMemory {
    return Object.fromEntries(
      [...this.#nodes].map(([id, { assignments, cells, tables }]) => [
        id,
        {
          numberOfAssignments: assignments,
          memoryMap: Object.fromEntries([...tables].map(([type, table]) => [type, { ...table }])),
          cells,
        },
      ]),
    );
  }

  sum(nodes: readonly number[], type: string, member: 'allocatable' | 'free'): number {
    return nodes.reduce((sum, node) => sum + (this.#nodes.get(node)?.tables.get(type)?.[member] ?? 0), 0);
  }

  /** One of the nodes serves containers alone, or in another group. */
  isMixed(nodes: readonly number[]): boolean {
    if (nodes.length === 1) return (this.#nodes.get(nodes[0]!)?.cells.length ?? 0) > 1;
    return nodes.some((id) => {
      const node = this.#nodes.get(id);
      return node !== undefined && node.assignments > 0 && !isSameGroup(node.cells, nodes);
    });
  }

  /** From the first node as much as it has, then from the next. */
  take(nodes: readonly number[], type: string, size: number): void {
    let open = size;
    for (const id of nodes) {
      const node = this.#nodes.get(id);
      if (node === undefined) continue;
      node.assignments++;
      node.cells = nodes;
      const table = node.tables.get(type);
      if (table === undefined) continue;
      const taken = Math.min(open, table.free);
      table.reserved += taken;
      table.free -= taken;
      open -= taken;
    }
  }

  give(nodes: readonly number[], type: string, size: number): void {
    let open = size;
    for (const id of nodes) {
      const node = this.#nodes.get(id);
      if (node === undefined) continue;
      node.assignments--;
      if (node.assignments === 0) node.cells = [id];
      const table = node.tables.get(type);
      if (table === undefined) continue;
      const given = Math.min(open, table.reserved);
      table.free += given;
      table.reserved -= given;
      open -= given;
    }
  }
}

const isSameGroup = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((node) => b.includes(node));

/** Within a group it does not matter which node has what. */
export function isSameMachine(a: MachineMemory, b: MachineMemory): boolean {
  const ids = Object.keys(a).map(Number);
  return ids.length === Object.keys(b).length && ids.every((id) => isSameNode(id, a, b));
}

function isSameNode(id: number, a: MachineMemory, b: MachineMemory): boolean {
  const [left, right] = [a[id], b[id]];
  if (left === undefined || right === undefined) return false;
  if (left.numberOfAssignments !== right.numberOfAssignments || !isSameGroup(left.cells, right.cells)) return false;
  const types = Object.keys(left.memoryMap);
  if (types.length !== Object.keys(right.memoryMap).length) return false;
  const sum = (machine: MachineMemory, type: string, member: 'free' | 'reserved'): number =>
    left.cells.reduce((total, cell) => total + (machine[cell]?.memoryMap[type]?.[member] ?? 0), 0);
  return types.every((type) => {
    const [mine, other] = [left.memoryMap[type]!, right.memoryMap[type]];
    return (
      other !== undefined &&
      (['total', 'systemReserved', 'allocatable'] as const).every((member) => mine[member] === other[member]) &&
      (['free', 'reserved'] as const).every((member) => sum(a, type, member) === sum(b, type, member))
    );
  });
}
