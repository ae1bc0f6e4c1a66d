/**
 * The policy `Static` of the memory manager: the containers of Guaranteed pods have their memory, and their huge
 * pages, from as few NUMA nodes as possible. A node serves containers by itself or in one group, never both. Pure but
 * for the state that it carries.
 * @see {@link https://kubernetes.io/docs/tasks/administer-cluster/memory-manager/ | Control Memory Management Policies}
 */
import type { Container, Pod } from '../../../api/gen/types/core-v1.ts';
import { qosClassOf } from '../../../api/core/pods/qos.ts';
import { parseQuantity } from '../../../machinery/quantity.ts';
import { CheckpointError } from '../checkpoint-file.ts';
import { containersInOrder, peakOf, roleOf } from '../container-requests.ts';
import { AllocationError, type Hint, type Hints, noHints } from '../topology/hints.ts';
import { countOf, isNarrower, maskOf, masksOf, type NumaMask, nodesOf } from '../topology/numa-mask.ts';
import { isSameMachine, MemoryTables } from './memory-tables.ts';
import type { MachineMemory, MemoryBlock, MemoryState } from './memory-state.ts';

type Amounts = ReadonlyMap<string, number>;

export class StaticMemory {
  readonly #tables: MemoryTables;
  readonly #entries = new Map<string, Map<string, readonly MemoryBlock[]>>();
  /** By uid, nodes and kind: bytes that init containers leave to the others of their pod. */
  readonly #reusable = new Map<string, Map<string, number>>();

  /**
   * @param machine without assignments
   * Throws a `CheckpointError` for a state that does not fit it.
   */
  constructor(machine: MachineMemory, state?: MemoryState) {
    this.#tables = new MemoryTables(machine);
    if (state !== undefined) this.#restore(machine, state);
  }

  get state(): MemoryState {
    return {
      machineState: this.#tables.machine,
      entries: Object.fromEntries([...this.#entries].map(([uid, blocks]) => [uid, Object.fromEntries(blocks)])),
    };
  }

  blocksOf(uid: string, container: string): readonly MemoryBlock[] {
    return this.#entries.get(uid)?.get(container) ?? [];
  }

  uids(): readonly string[] {
    return [...this.#entries.keys()];
  }

  hintsOfContainer(pod: Pod, container: Container): Hints {
    if (!isGuaranteed(pod)) return noHints;
    const requests = requestsOf(container);
    const blocks = this.#entries.get(uidOf(pod))?.get(container.name ?? '');
    return blocks === undefined ? this.#hints(pod, requests) : hintsOfBlocks(blocks, requests);
  }

  hintsOfPod(pod: Pod): Hints {
    if (!isGuaranteed(pod)) return noHints;
    const requests = requestsOfPod(pod);
    const [blocks] = this.#entries.get(uidOf(pod))?.values() ?? [];
    return blocks === undefined ? this.#hints(pod, requests) : hintsOfBlocks(blocks, requests);
  }

  /** @returns whether anything changed. Throws an `AllocationError`. */
  allocate(pod: Pod, container: Container, hint: Hint): boolean {
    if (!isGuaranteed(pod)) return false;
    const uid = uidOf(pod);
    const name = container.name ?? '';
    const before = this.#entries.get(uid)?.get(name);
    if (before !== undefined) {
      this.#keepReusable(pod, container, before);
      return false;
    }
    const requests = requestsOf(container);
    const nodes = nodesOf(this.#nodesFor(pod, requests, hint));
    const blocks = [...requests].map(([type, size]): MemoryBlock => ({ numaAffinity: nodes, type, size }));
    for (const { type, size } of blocks) {
      const reusable = this.#reusableOf(uid, nodes, type);
      this.#tables.take(nodes, type, Math.max(0, size - reusable));
    }
    this.#keepReusable(pod, container, blocks);
    const entries = this.#entries.get(uid) ?? new Map<string, readonly MemoryBlock[]>();
    this.#entries.set(uid, entries.set(name, blocks));
    this.#shrinkInit(pod, container, blocks);
    return true;
  }

  /** @returns whether anything changed */
  release(uid: string): boolean {
    this.#reusable.delete(uid);
    const entries = this.#entries.get(uid);
    if (entries === undefined) return false;
    this.#entries.delete(uid);
    for (const { numaAffinity, type, size } of [...entries.values()].flat())
      this.#tables.give(numaAffinity, type, size);
    return true;
  }

  #nodesFor(pod: Pod, requests: Amounts, hint: Hint): NumaMask {
    const best = hint.affinity === undefined ? this.#bestHint(pod, requests, 0n) : hint;
    if (best === undefined)
      throw new AllocationError(
        '[memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available',
      );
    if (!best.preferred && hint.preferred)
      throw new AllocationError('[memorymanager] failed to find the default preferred hint');
    const mask = this.#hasFree(best.affinity!, requests) ? best.affinity! : this.#extended(pod, requests, best);
    if (this.#tables.isMixed(nodesOf(mask)))
      throw new AllocationError('[memorymanager] preferred hint violates NUMA node allocation');
    return mask;
  }

  /** The nodes of the hint with others, so that it is enough. */
  #extended(pod: Pod, requests: Amounts, hint: Hint): NumaMask {
    const best = this.#bestHint(pod, requests, hint.affinity!);
    if (best === undefined)
      throw new AllocationError('[memorymanager] failed to find NUMA nodes to extend the current topology hint');
    if (!best.preferred && hint.preferred)
      throw new AllocationError('[memorymanager] failed to find the extended preferred hint');
    return best.affinity!;
  }

  /** Among those that have all of the nodes. */
  #bestHint(pod: Pod, requests: Amounts, nodes: NumaMask): Hint | undefined {
    let best: Hint | undefined;
    for (const hint of this.#hints(pod, requests).get('memory') ?? []) {
      if ((hint.affinity! & nodes) !== nodes) continue;
      const isBetter =
        best === undefined ||
        (hint.preferred && !best.preferred) ||
        (hint.preferred === best.preferred && isNarrower(hint.affinity!, best.affinity!));
      if (isBetter) best = hint;
    }
    return best;
  }

  #hints(pod: Pod, requests: Amounts): Hints {
    const tables = this.#tables;
    let least = tables.nodes.length;
    const masks = masksOf(tables.nodes).filter((mask) => {
      const nodes = nodesOf(mask);
      const has = (member: 'allocatable' | 'free', more: (type: string) => number): boolean =>
        [...requests].every(([type, size]) => tables.sum(nodes, type, member) + more(type) >= size);
      if (!has('allocatable', () => 0)) return false;
      least = Math.min(least, nodes.length);
      return !tables.isMixed(nodes) && has('free', (type) => this.#reusableOf(uidOf(pod), nodes, type));
    });
    // As upstream: without such nodes there is no hint, and the allocation fails.
    if (masks.length === 0) return noHints;
    const hints = masks.map((affinity): Hint => ({ affinity, preferred: countOf(affinity) === least }));
    return new Map([...requests].map(([type]) => [type, hints]));
  }

  #hasFree(mask: NumaMask, requests: Amounts): boolean {
    return [...requests].every(([type, size]) => this.#tables.sum(nodesOf(mask), type, 'free') >= size);
  }

  #reusableOf(uid: string, nodes: readonly number[], type: string): number {
    return this.#reusable.get(uid)?.get(`${nodes.join()} ${type}`) ?? 0;
  }

  #keepReusable(pod: Pod, container: Container, blocks: readonly MemoryBlock[]): void {
    const role = roleOf(pod, container);
    if (role === 'sidecar') return;
    const kept = this.#reusable.get(uidOf(pod)) ?? new Map<string, number>();
    this.#reusable.set(uidOf(pod), kept);
    for (const { numaAffinity, type, size } of blocks) {
      const key = `${numaAffinity.join()} ${type}`;
      const before = kept.get(key) ?? 0;
      kept.set(key, role === 'init' ? Math.max(before, size) : Math.max(0, before - size));
    }
  }

  /** What a container has of an init container is counted once. */
  #shrinkInit(pod: Pod, container: Container, blocks: readonly MemoryBlock[]): void {
    const entries = this.#entries.get(uidOf(pod))!;
    const order = containersInOrder(pod);
    const earlier = order.slice(
      0,
      order.findIndex(({ name }) => name === container.name),
    );
    for (const { type, size, numaAffinity } of blocks) {
      let open = size;
      for (const init of earlier) {
        if (roleOf(pod, init) !== 'init') continue;
        const own = entries.get(init.name ?? '') ?? [];
        const changed = own.map((block) => {
          if (block.type !== type || block.numaAffinity.join() !== numaAffinity.join()) return block;
          const taken = Math.min(open, block.size);
          open -= taken;
          return { ...block, size: block.size - taken };
        });
        entries.set(init.name ?? '', changed);
      }
    }
  }

  #restore(machine: MachineMemory, { machineState, entries }: MemoryState): void {
    if (Object.keys(machineState).length === 0) {
      if (Object.keys(entries).length > 0)
        throw new CheckpointError('[memorymanager] machine state can not be empty when it has memory assignments');
      return;
    }
    for (const [uid, containers] of Object.entries(entries)) {
      for (const [name, blocks] of Object.entries(containers))
        for (const { numaAffinity, type, size } of blocks) {
          const where = `[memorymanager] (pod: ${uid}, container: ${name}) the memory assignment uses`;
          for (const node of numaAffinity) {
            if (machine[node] === undefined) throw new CheckpointError(`${where} the NUMA that does not exist`);
            if (machine[node].memoryMap[type] === undefined)
              throw new CheckpointError(`${where} memory resource that does not exist`);
          }
          this.#tables.take(numaAffinity, type, size);
        }
      this.#entries.set(uid, new Map(Object.entries(containers)));
    }
    if (!isSameMachine(machineState, this.#tables.machine))
      throw new CheckpointError('[memorymanager] the expected machine state is different from the real one');
  }
}

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';
export const isGuaranteed = ({ spec }: Pod): boolean => qosClassOf(spec, false) === 'Guaranteed';
const isMemory = (type: string): boolean => type === 'memory' || type.startsWith('hugepages-');

const requestsOf = ({ resources }: Container): Amounts =>
  new Map(
    Object.entries(resources?.requests ?? {})
      .filter(([type]) => isMemory(type))
      .map(([type, text]) => [type, parseQuantity(text).toNumber()]),
  );

function requestsOfPod(pod: Pod): Amounts {
  const types = new Set(containersInOrder(pod).flatMap((container) => [...requestsOf(container).keys()]));
  return new Map([...types].map((type) => [type, peakOf(pod, (container) => requestsOf(container).get(type) ?? 0)]));
}

/** What is assigned already; blocks of other sizes say nothing. */
function hintsOfBlocks(blocks: readonly MemoryBlock[], requests: Amounts): Hints {
  const isSame = blocks.length === requests.size && blocks.every(({ type, size }) => requests.get(type) === size);
  if (!isSame) return noHints;
  return new Map(blocks.map(({ type, numaAffinity }) => [type, [{ affinity: maskOf(numaAffinity), preferred: true }]]));
}
