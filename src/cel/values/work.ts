/**
 * Work that costs do not show: comparing what is nested deeply, or long texts that differ at their ends. An evaluation is given
 * so much of it, and is ended when it has used it up.
 */

/** Ends an evaluation whatever stands around: it is no value that an expression could drop. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** Steps of some fifty nanoseconds. */
const perEvaluation = 1_000_000;
let left = perEvaluation;

/** An evaluation begins. */
export function startWork(): void {
  left = perEvaluation;
}

/** Throws {@link Cancelled}. */
export function work(steps: number): void {
  left -= steps;
  if (left < 0) throw new Cancelled('operation interrupted');
}
