/** Numbers of a rolling update that are given as such or as a share of the replicas. */
type IntOrPercent = number | string | undefined;

/** @param round what becomes of a part of a pod: surge is rounded up, unavailability down */
export function scaledAmount(value: IntOrPercent, total: number, round: 'up' | 'down'): number {
  if (value === undefined) return 0;
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(value);
  if (percent === null) return 0;
  const part = (Number(percent[1]) * total) / 100;
  return round === 'up' ? Math.ceil(part) : Math.floor(part);
}

/** How many pods more than wanted there may be, and how many fewer; not both are 0, so that a rollout can go on. */
export function fenceposts(
  maxSurge: IntOrPercent,
  maxUnavailable: IntOrPercent,
  wanted: number,
): { readonly surge: number; readonly unavailable: number } {
  const surge = scaledAmount(maxSurge, wanted, 'up');
  const unavailable = scaledAmount(maxUnavailable, wanted, 'down');
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}
