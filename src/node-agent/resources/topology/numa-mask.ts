/** Sets of NUMA nodes as bits: node 3 is bit 3. */
export type NumaMask = bigint;

export const maskOf = (nodes: Iterable<number>): NumaMask => {
  let mask = 0n;
  for (const node of nodes) mask |= 1n << BigInt(node);
  return mask;
};

export function nodesOf(mask: NumaMask): readonly number[] {
  const nodes: number[] = [];
  for (let node = 0, rest = mask; rest > 0n; node++, rest >>= 1n) if ((rest & 1n) === 1n) nodes.push(node);
  return nodes;
}

export const countOf = (mask: NumaMask): number => nodesOf(mask).length;

/** All masks of the nodes, smaller ones first, none without a node. */
export function masksOf(nodes: readonly number[]): readonly NumaMask[] {
  const masks: NumaMask[] = [];
  const add = (mask: NumaMask, from: number, left: number): void => {
    if (left === 0) masks.push(mask);
    else for (let at = from; at <= nodes.length - left; at++) add(mask | (1n << BigInt(nodes[at]!)), at + 1, left - 1);
  };
  for (let size = 1; size <= nodes.length; size++) add(0n, 0, size);
  return masks;
}

/** Fewer nodes, or as many with lower numbers. */
export function isNarrower(a: NumaMask, b: NumaMask): boolean {
  const [left, right] = [countOf(a), countOf(b)];
  return left === right ? a < b : left < right;
}
