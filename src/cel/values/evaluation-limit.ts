/**
 * How long an evaluation may take. Costs are upstream's and say little about time here, so that what takes time says so
 * as well: loops once in a while, and whatever looks through a text, a list or a map, before it does so or as it goes
 * on.
 *
 * @NOTE differs from upstream: time ends an evaluation too, and so does work without a cost of its own.
 */

import { CpuLimit } from '../../machinery/cpu-limit.ts';

/** Ends an evaluation whatever stands around: it is no value that an expression could drop. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** Steps of some fifty nanoseconds. */
const perEvaluation = 1_000_000;
const stepsBetweenLooks = 10_000;
const maxCpuMs = 60;

let left = perEvaluation;
let nextLook = perEvaluation;
const time = new CpuLimit(maxCpuMs);

/** An evaluation begins, or an expression is compiled. */
export function startWork(): void {
  left = perEvaluation;
  nextLook = perEvaluation - stepsBetweenLooks;
  time.restart();
}

/** Steps since the beginning. */
export const workDone = (): number => perEvaluation - left;

/** Throws {@link Cancelled}. */
export function work(steps: number): void {
  left -= steps;
  if (left < nextLook) look();
}

/** Looks at the clock. Throws {@link Cancelled}. */
export function look(): void {
  nextLook = left - stepsBetweenLooks;
  if (left < 0 || time.isOver()) throw new Cancelled('operation interrupted');
}
