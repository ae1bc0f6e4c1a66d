/**
 * The policy `static` of the CPU manager: a container of a Guaranteed pod that asks for whole CPUs has them for
 * itself; all others share the rest. Pure but for the state that it carries.
 * @see {@link https://kubernetes.io/docs/tasks/administer-cluster/cpu-management-policies/ | Control CPU Management
 *   Policies on the Node}
 */
import type { Container, Pod } from '../../../api/gen/types/core-v1.ts';
import { qosClassOf } from '../../../api/core/pods/qos.ts';
import { parseQuantity } from '../../../machinery/quantity.ts';
import type { CpuFigures } from '../../metrics/cpu-metrics.ts';
import { CheckpointError } from '../checkpoint-file.ts';
import { peakOf, roleOf } from '../container-requests.ts';
import { AllocationError, type Hint, type Hints, noHints } from '../topology/hints.ts';
import { countOf, masksOf, type NumaMask, nodesOf } from '../topology/numa-mask.ts';
import type { CpuOptions } from './cpu-options.ts';
import { CpuSet } from './cpu-set.ts';
import type { CpuState } from './cpu-state.ts';
import { distributeCpus } from './distribute-cpus.ts';
import { CpuShortage, takeCpus } from './take-cpus.ts';
import type { CpuTopology } from './topology.ts';

export interface StaticCpusOptions {
  readonly topology: CpuTopology;
  readonly options: CpuOptions;
  /** Named, or only how many: then the first cores. */
  readonly reserved: CpuSet | number;
}

export class StaticCpus {
  readonly #topology: CpuTopology;
  readonly #options: CpuOptions;
  readonly #reserved: CpuSet;
  #defaultCpus: CpuSet;
  readonly #assignments = new Map<string, Map<string, CpuSet>>();
  /** Of init containers that have their CPUs until the others of their pod get them. */
  readonly #reusable = new Map<string, CpuSet>();

  /** Throws a `CheckpointError` for a state that does not fit the machine or its configuration. */
  constructor({ topology, options, reserved }: StaticCpusOptions, state?: CpuState) {
    this.#topology = topology;
    this.#options = options;
    this.#reserved = typeof reserved === 'number' ? this.#firstCpus(reserved) : reserved;
    const count = typeof reserved === 'number' ? reserved : reserved.size;
    if (this.#reserved.size !== count)
      throw new CheckpointError(
        '[cpumanager] unable to reserve the required amount of CPUs ' +
          `(size of ${this.#reserved.toString()} did not equal ${count})`,
      );
    this.#defaultCpus = this.#usable;
    if (state !== undefined) this.#restore(state);
  }

  get state(): CpuState {
    return { defaultCpus: this.#defaultCpus, assignments: this.#assignments };
  }

  /** What containers can have for themselves, free or not. */
  get allocatable(): CpuSet {
    return this.#topology.all.minus(this.#reserved);
  }

  /** Where the container runs. */
  cpusOf(uid: string, container: string): CpuSet {
    return this.exclusiveOf(uid, container) ?? this.#defaultCpus;
  }

  exclusiveOf(uid: string, container: string): CpuSet | undefined {
    return this.#assignments.get(uid)?.get(container);
  }

  hintsOfContainer(pod: Pod, container: Container): Hints {
    const count = exclusiveCpus(pod, container);
    if (count === 0) return noHints;
    return this.#hints(count, this.exclusiveOf(uidOf(pod), container.name ?? ''), uidOf(pod));
  }

  hintsOfPod(pod: Pod): Hints {
    const count = peakOf(pod, (container) => exclusiveCpus(pod, container));
    if (count === 0) return noHints;
    const assigned = this.#assignments.get(uidOf(pod));
    return this.#hints(count, assigned && new CpuSet([...assigned.values()].flatMap(({ ids }) => ids)), uidOf(pod));
  }

  /** @returns whether anything changed. Throws an `AllocationError`. */
  allocate(pod: Pod, container: Container, { affinity }: Hint): boolean {
    const count = exclusiveCpus(pod, container);
    if (count === 0) return false;
    const uid = uidOf(pod);
    const name = container.name ?? '';
    const before = this.exclusiveOf(uid, name);
    if (before === undefined) this.#checkCores(count);
    const cpus = before ?? this.#choose(count, affinity, this.#reusable.get(uid) ?? CpuSet.empty);
    this.#keepReusable(pod, container, cpus);
    if (before !== undefined) return false;
    this.#defaultCpus = this.#defaultCpus.minus(cpus);
    const assigned = this.#assignments.get(uid) ?? new Map<string, CpuSet>();
    this.#assignments.set(uid, assigned.set(name, cpus));
    return true;
  }

  /** @returns whether anything changed */
  release(uid: string): boolean {
    const assigned = this.#assignments.get(uid);
    this.#reusable.delete(uid);
    if (assigned === undefined) return false;
    this.#assignments.delete(uid);
    for (const cpus of assigned.values()) this.#defaultCpus = this.#defaultCpus.union(cpus);
    return true;
  }

  /** CPUs that containers have for themselves, and those that they could have. */
  get figures(): CpuFigures {
    const exclusive = [...this.#assignments.values()].flatMap((assigned) => [...assigned.values()]);
    return { exclusive: new CpuSet(exclusive.flatMap(({ ids }) => ids)).size, shared: this.#free.size };
  }

  /** Pods that have CPUs. */
  uids(): readonly string[] {
    return [...this.#assignments.keys()];
  }

  /** What containers run on, theirs or shared. */
  get #usable(): CpuSet {
    return this.#options.reservesStrictly ? this.allocatable : this.#topology.all;
  }

  get #free(): CpuSet {
    return this.#defaultCpus.minus(this.#reserved);
  }

  #firstCpus(count: number): CpuSet {
    return count > this.#topology.all.size ? CpuSet.empty : this.#take(this.#topology.all, count);
  }

  #take(available: CpuSet, count: number): CpuSet {
    const { spreadsOverNuma, fullCores, spreadsOverCores, prefersUncore } = this.#options;
    const options = { spreadsOverCores, prefersUncore };
    return spreadsOverNuma
      ? distributeCpus(this.#topology, available, count, fullCores ? this.#topology.cpusPerCore : 1, options)
      : takeCpus(this.#topology, available, count, options);
  }

  #checkCores(count: number): void {
    if (!this.#options.fullCores) return;
    const { cpusPerCore } = this.#topology;
    if (count % cpusPerCore !== 0)
      throw new AllocationError(
        `SMT Alignment Error: requested ${count} cpus not multiple cpus per core = ${cpusPerCore}`,
        'SMTAlignmentError',
      );
    const reservedCores = this.#topology.keepOnly(this.#reserved).ids('core');
    const free = this.#free.minus(this.#topology.cpusIn('core', ...reservedCores)).size;
    if (count > free)
      throw new AllocationError(
        `SMT Alignment Error: not enough free physical CPUs: available physical CPUs = ${free}, ` +
          `requested CPUs = ${count}, CPUs per core = ${cpusPerCore}`,
        'SMTAlignmentError',
      );
  }

  /** Those of the NUMA nodes first. */
  #choose(count: number, affinity: NumaMask | undefined, reusable: CpuSet): CpuSet {
    const available = this.#free.union(reusable);
    try {
      const aligned = affinity === undefined ? CpuSet.empty : this.#alignedTo(affinity, available);
      const first = affinity === undefined ? aligned : this.#take(aligned, Math.min(aligned.size, count));
      return first.union(this.#take(available.minus(first), count - first.size));
    } catch (error) {
      if (!(error instanceof CpuShortage)) throw error;
      throw new AllocationError(error.message);
    }
  }

  #alignedTo(affinity: NumaMask, available: CpuSet): CpuSet {
    const nodes = nodesOf(affinity);
    if (!this.#options.alignsBySocket) return available.and(this.#topology.cpusIn('numa', ...nodes));
    const sockets = this.#topology.within('socket', 'numa', ...nodes);
    return available.and(this.#topology.cpusIn('socket', ...sockets));
  }

  #keepReusable(pod: Pod, container: Container, cpus: CpuSet): void {
    const uid = uidOf(pod);
    const before = this.#reusable.get(uid) ?? CpuSet.empty;
    this.#reusable.set(uid, roleOf(pod, container) === 'init' ? before.union(cpus) : before.minus(cpus));
  }

  #hints(count: number, assigned: CpuSet | undefined, uid: string): Hints {
    // What was assigned for another number is of no use: no node does.
    if (assigned !== undefined) {
      const hints = assigned.size === count ? this.#hintsFor(count, assigned, CpuSet.empty) : [];
      return new Map([['cpu', hints]]);
    }
    const reusable = this.#reusable.get(uid) ?? CpuSet.empty;
    return new Map([['cpu', this.#hintsFor(count, this.#free, reusable)]]);
  }

  #hintsFor(count: number, available: CpuSet, reusable: CpuSet): readonly Hint[] {
    const topology = this.#topology;
    const nodes = topology.ids('numa');
    let least = nodes.length;
    const masks = masksOf(nodes).filter((mask) => {
      const inMask = topology.cpusIn('numa', ...nodesOf(mask));
      if (inMask.size >= count) least = Math.min(least, countOf(mask));
      return inMask.and(reusable).size === reusable.size && inMask.and(available.union(reusable)).size >= count;
    });
    return masks.map((affinity) => ({
      affinity,
      preferred: this.#options.alignsBySocket ? this.#isInLeastSockets(affinity, least) : countOf(affinity) === least,
    }));
  }

  #isInLeastSockets(mask: NumaMask, leastNodes: number): boolean {
    const perSocket = Math.max(1, Math.floor(this.#topology.numaNodes / this.#topology.sockets));
    const sockets = this.#topology.within('socket', 'numa', ...nodesOf(mask));
    return sockets.length === Math.ceil(leastNodes / perSocket);
  }

  #restore({ defaultCpus, assignments }: CpuState): void {
    if (defaultCpus.size === 0) {
      if (assignments.size > 0) throw new CheckpointError('default cpuset cannot be empty');
      return;
    }
    const shared = defaultCpus.toString();
    const reserved = this.#reserved.toString();
    const reservedShared = this.#reserved.and(defaultCpus);
    if (this.#options.reservesStrictly && reservedShared.size > 0)
      throw new CheckpointError(
        `some of strictly reserved cpus: "${reserved}" are present in defaultCpuSet: "${shared}"`,
      );
    if (!this.#options.reservesStrictly && !reservedShared.equals(this.#reserved))
      throw new CheckpointError(`not all reserved cpus: "${reserved}" are present in defaultCpuSet: "${shared}"`);
    let known = defaultCpus;
    for (const [uid, containers] of assignments)
      for (const [name, cpus] of containers) {
        if (cpus.and(defaultCpus).size > 0)
          throw new CheckpointError(
            `pod: ${uid}, container: ${name} cpuset: "${cpus.toString()}" overlaps with default cpuset "${shared}"`,
          );
        known = known.union(cpus);
      }
    const usable = this.#usable;
    if (!known.equals(usable))
      throw new CheckpointError(
        `current set of available CPUs "${usable.toString()}" doesn't match with CPUs in state "${known.toString()}"`,
      );
    this.#defaultCpus = defaultCpus;
    for (const [uid, containers] of assignments) this.#assignments.set(uid, new Map(containers));
  }
}

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';

/** 0 for a container that shares CPUs. */
export function exclusiveCpus({ spec }: Pod, { resources }: Container): number {
  const request = resources?.requests?.['cpu'];
  if (request === undefined || qosClassOf(spec, false) !== 'Guaranteed') return 0;
  const milli = parseQuantity(request).scaledValue(-3);
  return milli % 1000n === 0n ? Number(milli / 1000n) : 0;
}
