/**
 * How the CPUs of a machine belong together: threads of cores, cores of sockets, and CPUs that share a cache or a
 * NUMA node.
 */
import { CpuSet } from './cpu-set.ts';

export interface Cpu {
  readonly id: number;
  /** The lowest thread of the core: the kernel's own numbers repeat in each socket. */
  readonly core: number;
  readonly socket: number;
  readonly numa: number;
  /** The lowest CPU that shares the last cache before the memory. */
  readonly uncore: number;
}

export type CpuUnit = 'core' | 'socket' | 'numa' | 'uncore';

/** CPUs, all of a machine or some of them. */
export class CpuDetails {
  readonly #cpus: ReadonlyMap<number, Cpu>;
  readonly #members = new Map<CpuUnit, ReadonlyMap<number, CpuSet>>();
  readonly all: CpuSet;

  constructor(cpus: Iterable<Cpu>) {
    this.#cpus = new Map([...cpus].map((cpu) => [cpu.id, cpu]));
    this.all = new CpuSet(this.#cpus.keys());
  }

  keepOnly(ids: CpuSet): CpuDetails {
    return new CpuDetails([...this.#cpus.values()].filter(({ id }) => ids.has(id)));
  }

  /** Ascending. */
  ids(unit: CpuUnit): readonly number[] {
    return [...this.#byId(unit).keys()];
  }

  /** Of a CPU that is one of these. */
  unitOf(id: number, unit: CpuUnit): number {
    return this.#cpus.get(id)?.[unit] ?? -1;
  }

  cpusIn(unit: CpuUnit, ...ids: readonly number[]): CpuSet {
    const units = this.#byId(unit);
    if (ids.length === 1) return units.get(ids[0]!) ?? CpuSet.empty;
    return new CpuSet(ids.flatMap((id) => [...(units.get(id) ?? [])]));
  }

  /** Units of one kind that have CPUs in units of another: the cores of two sockets. */
  within(inner: CpuUnit, outer: CpuUnit, ...ids: readonly number[]): readonly number[] {
    const found = new Set([...this.cpusIn(outer, ...ids)].map((id) => this.unitOf(id, inner)));
    return [...found].sort((a, b) => a - b);
  }

  #byId(unit: CpuUnit): ReadonlyMap<number, CpuSet> {
    let members = this.#members.get(unit);
    if (members === undefined) {
      const ids = new Map<number, number[]>();
      for (const cpu of this.#cpus.values()) {
        const list = ids.get(cpu[unit]);
        if (list === undefined) ids.set(cpu[unit], [cpu.id]);
        else list.push(cpu.id);
      }
      const sorted = [...ids].sort(([a], [b]) => a - b);
      members = new Map(sorted.map(([id, list]) => [id, new CpuSet(list)]));
      this.#members.set(unit, members);
    }
    return members;
  }
}

export class CpuTopology extends CpuDetails {
  readonly sockets: number;
  readonly numaNodes: number;
  readonly cpusPerCore: number;
  readonly cpusPerUncore: number;

  constructor(cpus: readonly Cpu[]) {
    super(cpus);
    this.sockets = this.ids('socket').length;
    this.numaNodes = this.ids('numa').length;
    const per = (unit: CpuUnit): number => Math.max(1, Math.floor(this.all.size / (this.ids(unit).length || 1)));
    this.cpusPerCore = per('core');
    this.cpusPerUncore = per('uncore');
  }
}

/** What the kernel tells of a CPU, by the content of its files. */
export interface CpuFiles {
  readonly id: number;
  /** `topology/physical_package_id` */
  readonly package: string;
  /** `topology/thread_siblings_list` */
  readonly siblings: string;
  /** `cache/index3/shared_cpu_list`; empty for a machine without such a cache. */
  readonly sharesCache: string;
}

/**
 * @param numa CPUs by NUMA node, `node/nodeN/cpulist`; empty where the kernel knows no such nodes
 * Throws a `CpuListError`.
 */
export function parseTopology(cpus: readonly CpuFiles[], numa: ReadonlyMap<number, string>): CpuTopology {
  const online = new Set(cpus.map(({ id }) => id));
  const nodeOf = new Map<number, number>();
  for (const [node, list] of numa) for (const id of CpuSet.parse(list)) nodeOf.set(id, node);
  const lowest = (list: string, otherwise: number): number =>
    CpuSet.parse(list).filter((id) => online.has(id)).ids[0] ?? otherwise;
  return new CpuTopology(
    cpus.map(({ id, package: socket, siblings, sharesCache }) => {
      const node = nodeOf.get(id) ?? 0;
      return {
        id,
        core: lowest(siblings, id),
        // Virtual machines can say -1.
        socket: Math.max(0, Number.parseInt(socket, 10) || 0),
        numa: node,
        uncore: sharesCache.trim() === '' ? (CpuSet.parse(numa.get(node) ?? '').ids[0] ?? 0) : lowest(sharesCache, id),
      };
    }),
  );
}
