/** What an expression may call: functions with an overload for each list of argument types. */
import type { Value } from '../values/values.ts';
import type { CelType } from './types.ts';
import type { CallEstimator } from '../cost/call-sizes.ts';

/** Arguments are values, never errors; the result may be one. A method gets its target first. */
export type Implementation = (...args: never[]) => Value;

/** What a call costs when it runs, known before it runs. */
export type CallCost = (...args: Value[]) => number;

export interface Overload {
  /** Upstream's name, which cost rules go by. */
  readonly id: string;
  /** Of a method, the target's type comes first. */
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  readonly member: boolean;
  readonly run: Implementation;
  /** One unit when absent. */
  readonly cost?: CallCost;
  /** What it costs is known only when the result is there. */
  readonly costOfResult?: (result: Value) => number;
  /** What it may cost at most, from the sizes in a schema. One unit when absent. */
  readonly estimate?: CallEstimator;
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

type Extras = Pick<Overload, 'cost' | 'costOfResult' | 'estimate'>;

/** `f(a, b)` */
export const globalOverload = (
  id: string,
  parameters: readonly CelType[],
  result: CelType,
  run: Implementation,
  extras: Extras = {},
): Overload => ({ id, parameters, result, member: false, run, ...extras });

/** `a.f(b)`; `a` is the first parameter. */
export const memberOverload = (
  id: string,
  parameters: readonly CelType[],
  result: CelType,
  run: Implementation,
  extras: Extras = {},
): Overload => ({ id, parameters, result, member: true, run, ...extras });

/** A part of the functions, and since which version of Kubernetes expressions may use it. */
export interface Library {
  readonly functions: readonly FunctionDeclaration[];
  /** Names of types that expressions may write: `type(x) == net.IP`. */
  readonly types?: ReadonlyMap<string, CelType>;
}
