/** Ranges of sizes and costs, in upstream's unsigned integers: what is too big stays at the largest. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

const largest = 2 ** 64 - 1;
const capped = (value: number): number => (value >= largest || Number.isNaN(value) ? largest : value);

export const one: Range = { min: 1, max: 1 };
export const nothing: Range = { min: 0, max: 0 };
export const unknown: Range = { min: 0, max: largest };

export const exactly = (size: number): Range => ({ min: size, max: size });
export const upTo = (max: number): Range => ({ min: 0, max: capped(max) });
export const plus = (a: Range, b: Range): Range => ({ min: capped(a.min + b.min), max: capped(a.max + b.max) });
export const times = (a: Range, b: Range): Range => ({
  min: capped(a.min * b.min),
  max: a.max === 0 || b.max === 0 ? 0 : capped(a.max * b.max),
});
/** Rounded up. */
export const byFactor = (a: Range, factor: number): Range => ({
  min: capped(Math.ceil(a.min * factor)),
  max: capped(Math.ceil(a.max * factor)),
});
export const either = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });
export const sum = (ranges: readonly Range[]): Range => ranges.reduce(plus, nothing);
