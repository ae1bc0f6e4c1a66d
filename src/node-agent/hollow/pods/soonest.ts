/** The shorter of two delays; undefined is never. */
export const soonest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.min(a, b);
