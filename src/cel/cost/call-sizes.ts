/** What is known of a call before it runs, and what that says of its cost. */
import type { CelType } from '../check/types.ts';
import type { Range } from './range.ts';

export interface CallSizes {
  /** Types of the arguments, the target first. */
  readonly types: readonly CelType[];
  /** The number that the expression has in this place; undefined for anything else, and for no argument. */
  readonly literalInt: (argument: number) => number | undefined;
  /** Costs of the arguments, in the same order. */
  readonly costs: readonly Range[];
  readonly size: (argument: number) => Range;
  /** What the expression itself says about the size; undefined for what only a schema can say. */
  readonly computedSize: (argument: number) => Range | undefined;
  /** Of the elements of a list, as the schema limits them: that a list in the expression shows them does not count. */
  readonly elementSize: (argument: number) => Range;
}

export interface CallEstimate {
  /** With that of the arguments. */
  readonly cost: Range;
  readonly size?: Range;
}

export type CallEstimator = (call: CallSizes) => CallEstimate;
