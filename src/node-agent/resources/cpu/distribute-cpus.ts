/**
 * Chooses CPUs in equal parts from as few NUMA nodes as possible. Of several choices of nodes the one is taken that
 * leaves the free CPUs of all nodes most alike.
 */
import type { CpuSet } from './cpu-set.ts';
import { CpuShortage, shortage, takeCpus, type TakeOptions, Taking } from './take-cpus.ts';
import type { CpuTopology } from './topology.ts';

/**
 * @param group CPUs that are handed out together: the threads of a core, or 1
 * Throws a `CpuShortage`.
 */
export function distributeCpus(
  topology: CpuTopology,
  available: CpuSet,
  count: number,
  group: number,
  options: TakeOptions = {},
): CpuSet {
  const packed = (): CpuSet => takeCpus(topology, available, count, options);
  if (count % group !== 0) return packed();
  if (count > available.size) throw shortage(count, available.size);
  const taking = new Taking(topology, available, count);
  if (count === 0) return taking.taken;
  const nodes = taking.sorted('numa');
  const freeOf = new Map(nodes.map((node) => [node, taking.free.cpusIn('numa', node).size]));
  const [least, most] = sizesOf(taking, nodes, group);
  for (let size = least; size <= most; size++) {
    const choice = bestOf(combinations(nodes, size), freeOf, count, group);
    if (choice === undefined) continue;
    const takeFrom = (node: number, amount: number): void =>
      taking.take(takeCpus(topology, taking.free.cpusIn('numa', node), amount, options));
    for (const node of choice.nodes) takeFrom(node, choice.share);
    while (taking.needed > 0)
      for (const node of choice.remainder)
        if (taking.needed > 0 && taking.free.cpusIn('numa', node).size >= group) takeFrom(node, group);
    if (taking.needed !== 0) throw new CpuShortage(`accounting error, not enough CPUs allocated: ${taking.needed}`);
    return taking.taken;
  }
  return packed();
}

/** How many nodes it takes at the least, when they are whole, and at the most. */
function sizesOf(
  { topology, needed }: Taking,
  nodes: readonly number[],
  group: number,
): readonly [least: number, most: number] {
  const perNode = Math.ceil(Math.ceil(topology.all.size / group) / topology.numaNodes);
  const groups = Math.ceil(needed / group);
  return [Math.ceil(groups / perNode), Math.min(groups, nodes.length)];
}

interface Choice {
  readonly nodes: readonly number[];
  /** Of each node. */
  readonly share: number;
  /** Nodes that give a group more. */
  readonly remainder: readonly number[];
  readonly imbalance: number;
}

function bestOf(
  choices: Iterable<readonly number[]>,
  freeOf: ReadonlyMap<number, number>,
  count: number,
  group: number,
): Choice | undefined {
  let best: Choice | undefined;
  for (const nodes of choices) {
    const choice = choiceOf(nodes, freeOf, count, group);
    if (choice !== undefined && (best === undefined || choice.imbalance < best.imbalance)) best = choice;
    if (best?.imbalance === 0) break;
  }
  return best;
}

/** Undefined when these nodes cannot give as many. */
function choiceOf(
  nodes: readonly number[],
  freeOf: ReadonlyMap<number, number>,
  count: number,
  group: number,
): Choice | undefined {
  const groups = nodes.reduce((sum, node) => sum + Math.floor(freeOf.get(node)! / group), 0);
  if (groups * group < count) return undefined;
  const share = Math.floor(count / nodes.length / group) * group;
  if (nodes.some((node) => freeOf.get(node)! < share)) return undefined;
  const after = new Map(freeOf);
  for (const node of nodes) after.set(node, after.get(node)! - share);
  const rest = count - share * nodes.length;
  if (rest === 0) return { nodes, share, remainder: [], imbalance: deviation(after.values()) };
  const givers = nodes.filter((node) => after.get(node)! >= group);
  let best: Choice | undefined;
  for (let size = givers.length; size >= 1; size--)
    for (const remainder of combinations(givers, size)) {
      const left = withoutRest(after, remainder, rest, group);
      if (left === undefined) continue;
      const imbalance = deviation(left.values());
      if (best === undefined || imbalance < best.imbalance) best = { nodes, share, remainder, imbalance };
    }
  return best;
}

function withoutRest(
  after: ReadonlyMap<number, number>,
  givers: readonly number[],
  rest: number,
  group: number,
): ReadonlyMap<number, number> | undefined {
  const left = new Map(after);
  let open = rest;
  while (open > 0) {
    const before = open;
    for (const node of givers)
      if (open > 0 && left.get(node)! >= group) {
        left.set(node, left.get(node)! - group);
        open -= group;
      }
    if (open === before) return undefined;
  }
  return left;
}

/** Rounded to thousandths: what differs by less counts as equal. */
function deviation(values: Iterable<number>): number {
  const list = [...values];
  const mean = list.reduce((sum, value) => sum + value, 0) / list.length;
  const variance = list.reduce((sum, value) => sum + (value - mean) ** 2, 0) / list.length;
  return Math.round(Math.sqrt(variance) * 1000) / 1000;
}

/** In the order of the list. */
export function* combinations<T>(list: readonly T[], size: number, from = 0): Generator<readonly T[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (let at = from; at <= list.length - size; at++)
    for (const rest of combinations(list, size - 1, at + 1)) yield [list[at]!, ...rest];
}
