import type { Node } from '../syntax/ast.ts';
import type { Value } from '../values/values.ts';
import type { State } from './state.ts';

export interface Evaluate {
  (state: State): Value;
  /** Of a part that has the same value each time. */
  constant?: Value;
}

export interface CompileScope {
  /** Iteration variables from the outside in; the index is the slot. */
  readonly locals: readonly string[];
  /** Of the names of types that may stand in the expression, the names that `type()` gives. */
  readonly typeNames: ReadonlyMap<string, string>;
  /** Compiles a part. */
  readonly compile: (node: Node, scope: CompileScope) => Evaluate;
}
