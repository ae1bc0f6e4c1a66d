/**
 * Finds the NUMA nodes that suit all resources of a container: each choice of one hint per resource is merged, and the
 * best of the merged hints counts.
 * @see {@link https://kubernetes.io/docs/tasks/administer-cluster/topology-manager/ | Control Topology Management
 *   Policies on a node}
 */
import { anyNode, type Hint, type Hints } from './hints.ts';
import { countOf, isNarrower, maskOf, type NumaMask, nodesOf } from './numa-mask.ts';

export type TopologyPolicy = 'none' | 'best-effort' | 'restricted' | 'single-numa-node';

export interface NumaDistances {
  readonly nodes: readonly number[];
  /** By node: its distances to all nodes, in their order; empty where the kernel does not tell. */
  readonly distances: ReadonlyMap<number, readonly number[]>;
}

export interface Merging {
  readonly policy: TopologyPolicy;
  readonly numa: NumaDistances;
  /** Of as many nodes, those that lie closer together. */
  readonly prefersClosest: boolean;
}

export function mergeHints(all: readonly Hints[], merging: Merging): Hint {
  const { policy, numa } = merging;
  const every = maskOf(numa.nodes);
  const lists = all.flatMap((hints) =>
    hints.size === 0 ? [[anyNode]] : [...hints.values()].map((list) => listOf(list)),
  );
  if (policy !== 'single-numa-node') {
    const merged = bestOf(lists, merging, preferredCount(lists));
    return merged ?? { affinity: every, preferred: false };
  }
  const single = lists.map((list) =>
    list.filter(({ affinity, preferred }) => preferred && (affinity === undefined || countOf(affinity) === 1)),
  );
  const best = bestOf(single, merging, 1) ?? { affinity: every, preferred: false };
  // All nodes are as good as no word on nodes.
  return best.affinity === every ? { affinity: undefined, preferred: best.preferred } : best;
}

export const isAdmitted = (policy: TopologyPolicy, { preferred }: Hint): boolean =>
  policy === 'none' || policy === 'best-effort' || preferred;

const nowhere: Hint = { affinity: undefined, preferred: false };

const listOf = (list: readonly Hint[] | undefined): readonly Hint[] =>
  list === undefined ? [anyNode] : list.length === 0 ? [nowhere] : list;

/** Where nothing is preferred, a hint is best with as many nodes as the resource that needs most of them. */
const preferredCount = (lists: readonly (readonly Hint[])[]): number =>
  Math.max(
    0,
    ...lists.map((list) => {
      const counts = list.flatMap(({ affinity }) => (affinity === undefined ? [] : [countOf(affinity)]));
      return counts.length === 0 ? 0 : Math.min(...counts);
    }),
  );

/**
 * Of all choices of one hint from each list. Choices that are alike so far go on as one, so that the work does not grow
 * with the product of the lists.
 */
function bestOf(lists: readonly (readonly Hint[])[], merging: Merging, count: number): Hint | undefined {
  let partial: readonly Partial[] = [{ mask: maskOf(merging.numa.nodes), preferred: true, hasNodes: false }];
  for (const list of lists) {
    const next = new Map<string, Partial>();
    for (const before of partial)
      for (const hint of list) {
        const merged = withHint(before, hint);
        next.set(`${merged.mask} ${merged.preferred} ${merged.hasNodes}`, merged);
      }
    partial = [...next.values()];
  }
  let best: Hint | undefined;
  for (const { mask: affinity, preferred } of partial)
    if (affinity !== 0n) best = better(best, { affinity, preferred }, merging, count);
  return best;
}

interface Partial {
  readonly mask: NumaMask;
  /** All hints are preferred, and name the same nodes. */
  readonly preferred: boolean;
  /** A hint has named nodes. */
  readonly hasNodes: boolean;
}

function withHint({ mask, preferred, hasNodes }: Partial, { affinity, preferred: isPreferred }: Hint): Partial {
  if (affinity === undefined) return { mask, preferred: preferred && isPreferred, hasNodes };
  const isSame = !hasNodes || affinity === mask;
  return { mask: mask & affinity, preferred: preferred && isPreferred && isSame, hasNodes: true };
}

function better(current: Hint | undefined, next: Hint, merging: Merging, count: number): Hint {
  if (current === undefined) return next;
  if (current.preferred !== next.preferred) return next.preferred ? next : current;
  const tighter = isTighter(next.affinity!, current.affinity!, merging) ? next : current;
  if (next.preferred) return tighter;
  const [currentCount, nextCount] = [countOf(current.affinity!), countOf(next.affinity!)];
  if (currentCount > count) return tighter;
  if (currentCount === count) return nextCount === count ? tighter : current;
  if (nextCount > count || nextCount < currentCount) return current;
  return nextCount > currentCount ? next : tighter;
}

function isTighter(a: NumaMask, b: NumaMask, { prefersClosest, numa }: Merging): boolean {
  if (!prefersClosest || a === b || countOf(a) !== countOf(b)) return isNarrower(a, b);
  const [left, right] = [meanDistance(a, numa), meanDistance(b, numa)];
  return left === right ? a < b : left < right;
}

function meanDistance(mask: NumaMask, { nodes, distances }: NumaDistances): number {
  const members = nodesOf(mask);
  let sum = 0;
  for (const from of members) for (const to of members) sum += distances.get(from)?.[nodes.indexOf(to)] ?? 0;
  return sum / members.length ** 2;
}
