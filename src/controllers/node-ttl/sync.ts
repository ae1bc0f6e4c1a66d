/** How long node agents may keep configuration from their caches: longer in larger clusters. */
interface Boundary {
  /** Fewer nodes lead to the boundary before. */
  readonly min: number;
  /** More nodes lead to the next one. */
  readonly max: number;
  readonly seconds: number;
}

/** They overlap, so that a cluster at an edge does not change its nodes again and again. */
const boundaries: readonly Boundary[] = [
  { min: 0, max: 100, seconds: 0 },
  { min: 90, max: 500, seconds: 15 },
  { min: 450, max: 1000, seconds: 30 },
  { min: 900, max: 2000, seconds: 60 },
  { min: 1800, max: Number.POSITIVE_INFINITY, seconds: 300 },
];

/** @param step of the last call; 0 at first. @returns the step for so many nodes */
export function nextStep(step: number, nodes: number): number {
  let next = step;
  while (nodes > boundaries[next]!.max) next++;
  while (nodes < boundaries[next]!.min) next--;
  return next;
}

export const secondsOf = (step: number): number => boundaries[step]!.seconds;
