/**
 * Thresholds of eviction: how much of a resource must be left.
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/ | Node-pressure Eviction}
 */
import { parseQuantity } from '../../machinery/quantity.ts';

export const signals: ReadonlySet<string> = new Set([
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'containerfs.available',
  'containerfs.inodesFree',
  'pid.available',
]);

const percentForm = /^(\d+(?:\.\d+)?)%$/;

/** What is wrong with the amount of a threshold: a quantity, or a share of the capacity. */
export function amountProblem(text: string): string | undefined {
  const [, percent] = percentForm.exec(text) ?? [];
  if (percent !== undefined) return Number(percent) > 100 ? 'must be at most 100%' : undefined;
  try {
    return parseQuantity(text).sign() < 0 ? 'must not be negative' : undefined;
  } catch {
    return 'must be a quantity or a percentage';
  }
}

/** In the unit of the capacity: bytes, inodes or processes, rounded down. */
export function amountOf(text: string, capacity: number): number {
  const [, percent] = percentForm.exec(text) ?? [];
  return percent === undefined
    ? parseQuantity(text).toNumber()
    : Math.floor(capacity * Math.fround(Number(percent) / 100));
}
