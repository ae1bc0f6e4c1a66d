/**
 * Chooses CPUs so that they lie close together: whole NUMA nodes and sockets, then whole cores, then single threads.
 * Of equal units the one with the fewest free CPUs is taken from first, so that others stay whole.
 */
import { CpuSet } from './cpu-set.ts';
import type { CpuDetails } from './topology.ts';
import { type CpuTopology, type CpuUnit } from './topology.ts';

/** There are not enough CPUs, or not in the groups that are asked for. */
export class CpuShortage extends Error {
  override readonly name = 'CpuShortage';
}

export interface TakeOptions {
  /** Threads of as many cores as there are, instead of whole cores. */
  readonly spreadsOverCores?: boolean;
  /** From as few shared caches as possible. */
  readonly prefersUncore?: boolean;
}

/** Throws a `CpuShortage`. */
export function takeCpus(topology: CpuTopology, available: CpuSet, count: number, options: TakeOptions = {}): CpuSet {
  const taking = new Taking(topology, available, count, options);
  if (count > available.size) throw shortage(count, available.size);
  for (const step of taking.steps()) {
    if (taking.needed <= 0) break;
    step();
  }
  if (taking.needed > 0) throw new CpuShortage('failed to allocate cpus');
  return taking.taken;
}

export const shortage = (requested: number, available: number): CpuShortage =>
  new CpuShortage(`not enough cpus available to satisfy request: requested=${requested}, available=${available}`);

/** What is left while CPUs are taken from it. */
export class Taking {
  readonly topology: CpuTopology;
  readonly #options: TakeOptions;
  free: CpuDetails;
  taken = CpuSet.empty;
  needed: number;

  constructor(topology: CpuTopology, available: CpuSet, count: number, options: TakeOptions = {}) {
    this.topology = topology;
    this.free = topology.keepOnly(available);
    this.needed = count;
    this.#options = options;
  }

  take(cpus: CpuSet): void {
    this.taken = this.taken.union(cpus);
    this.free = this.free.keepOnly(this.free.all.minus(cpus));
    this.needed -= cpus.size;
  }

  steps(): readonly (() => void)[] {
    const whole = (unit: CpuUnit) => () => this.#takeWhole(unit);
    return [
      ...(this.#numaFirst ? [whole('numa'), whole('socket')] : [whole('socket'), whole('numa')]),
      ...(this.#options.prefersUncore === true ? [() => this.#takeByUncore()] : []),
      ...(this.#options.spreadsOverCores === true ? [] : [whole('core')]),
      () => this.#takeSingle(),
    ];
  }

  /** Those with the fewest free CPUs first. */
  sorted(unit: CpuUnit): readonly number[] {
    const outer = this.#outerOf(unit);
    if (outer === undefined) return this.#byFree(this.free.ids(unit), unit);
    return this.sorted(outer).flatMap((id) => this.#byFree(this.free.within(unit, outer, id), unit));
  }

  /** A socket can be a part of a NUMA node, or the other way round. */
  get #numaFirst(): boolean {
    return this.topology.sockets >= this.topology.numaNodes;
  }

  #outerOf(unit: CpuUnit): CpuUnit | undefined {
    switch (unit) {
      case 'core':
        return this.#numaFirst ? 'socket' : 'numa';
      case 'uncore':
        return this.#numaFirst ? 'socket' : 'numa';
      case 'socket':
        return this.#numaFirst ? 'numa' : undefined;
      case 'numa':
        return this.#numaFirst ? undefined : 'socket';
    }
  }

  #byFree(ids: readonly number[], unit: CpuUnit): readonly number[] {
    const size = (id: number): number => this.free.cpusIn(unit, id).size;
    return [...ids].sort((a, b) => size(a) - size(b) || a - b);
  }

  #isWhole(unit: CpuUnit, id: number): boolean {
    return this.free.cpusIn(unit, id).size === this.topology.cpusIn(unit, id).size;
  }

  #takeWhole(unit: CpuUnit): void {
    for (const id of this.sorted(unit).filter((unitId) => this.#isWhole(unit, unitId))) {
      const cpus = this.topology.cpusIn(unit, id);
      if (this.needed >= cpus.size) this.take(cpus);
    }
  }

  /** Whole caches while they are needed whole, then a cache that has all of the rest in free cores. */
  #takeByUncore(): void {
    for (const id of this.sorted('uncore')) {
      if (this.needed >= this.topology.cpusPerUncore) this.#takeWhole('uncore');
      if (this.needed <= 0) return;
      const cores = this.free
        .within('core', 'uncore', id)
        .slice(0, Math.floor(this.needed / this.topology.cpusPerCore));
      const cpus = this.free.cpusIn('core', ...cores);
      if (cpus.size === this.needed) this.take(cpus);
      if (this.needed <= 0) return;
    }
  }

  #takeSingle(): void {
    const cpus =
      this.#options.spreadsOverCores === true
        ? this.sorted('socket').flatMap((id) => this.free.cpusIn('socket', id).ids)
        : this.sorted('core').flatMap((id) => this.free.cpusIn('core', id).ids);
    for (const id of cpus.slice(0, this.needed)) this.take(new CpuSet([id]));
  }
}
