/**
 * Types that expressions make values of: `Object.spec{replicas: 3}`. @see {@link
 * https://github.com/google/cel-spec/blob/master/doc/langdef.md#aggregate-values | CEL language definition: aggregate
 * values}
 */
import type { CelType } from './types.ts';
import type { Value } from '../values/values.ts';

export interface MessageType {
  readonly type: CelType;
  /** The type of a field; undefined when there is none of that name. */
  field(name: string): CelType | undefined;
  /** Fields in the order of the expression; those that were left out by an empty optional are not among them. */
  create(fields: ReadonlyMap<string, Value>): Value;
}

/** Undefined for a name that is no such type. */
export type FindMessage = (name: string) => MessageType | undefined;
