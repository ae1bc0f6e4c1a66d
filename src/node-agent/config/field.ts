/**
 * What a field of the configuration document is: its type, its default, its flag. The fields are tables (`fields/`),
 * from which come the type of the configuration, the reader of files, the flags and `/configz`.
 */
import type { Shape } from '../../machinery/document-shape.ts';

/**
 * Whether a value other than the default has its effect.
 *
 * - `supported`: it has.
 * - `ignored`: about what this runtime does not have: accepted with a warning.
 */
export type FieldSupport = 'supported' | 'ignored';

export type FieldKind =
  | 'bool'
  | 'int'
  | 'float'
  | 'text'
  /** A path; in a file, one that is relative is relative to the folder of that file. */
  | 'path'
  /** Milliseconds. */
  | 'duration'
  | 'texts'
  | 'textMap'
  | 'gates'
  | 'object';

export interface FieldOptions<T> {
  /** The flag that sets it, without dashes. */
  readonly flag?: string;
  /** What it is for, one or two sentences. */
  readonly help: string;
  /** Supported when absent. */
  readonly support?: FieldSupport;
  /** In place of the default where there is no document: as the flags had it before there were documents. */
  readonly withoutFile?: T;
  /** The feature gate without which other values than the default are refused. */
  readonly gate?: string;
  /** A zero is a value. Without this mark it is as if the field were left out. */
  readonly keepsZero?: true;
  /** Of a number, both included. */
  readonly range?: readonly [least: number, most: number];
  /** The values of a text. */
  readonly oneOf?: readonly string[];
}

export interface Field<T = unknown> extends FieldOptions<T> {
  readonly kind: FieldKind;
  readonly shape: Shape;
  readonly default: T;
}

export interface Fields {
  readonly [name: string]: Field | Fields;
}

/** The values of a table: durations in milliseconds, the rest as in the document. */
export type ValuesOf<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : F[K] extends Fields ? ValuesOf<F[K]> : never;
};

const field =
  <T>(kind: FieldKind, shape: Shape) =>
  <V extends T>(value: V, options: FieldOptions<NoInfer<T>>): Field<T> => ({ kind, shape, default: value, ...options });

export const bool = field<boolean>('bool', 'boolean');
export const int = field<number>('int', 'integer');
export const float = field<number>('float', 'number');
export const text = field<string>('text', 'string');
export const path = field<string>('path', 'string');
export const texts = field<readonly string[]>('texts', ['string']);
export const textMap = field<Readonly<Record<string, string>>>('textMap', { '*': 'string' });
export const gates = field<Readonly<Record<string, boolean>>>('gates', { '*': 'boolean' });

const millisecondsPer = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
export type DurationText = `${number}${keyof typeof millisecondsPer}`;

/** @param value one number with its unit */
export const duration = (value: DurationText, options: FieldOptions<number>): Field<number> => {
  const [, amount, unit] = /^(\d+)([a-z]+)$/.exec(value)!;
  const milliseconds = Number(amount) * millisecondsPer[unit as keyof typeof millisecondsPer];
  return { kind: 'duration', shape: 'duration', default: milliseconds, ...options };
};

/** A field that the default leaves out. */
export const optional = <T>({ default: _, withoutFile: __, ...rest }: Field<T>): Field<T | undefined> => ({
  ...rest,
  default: undefined,
});

export const object = <T>(shape: Shape, value: T, options: FieldOptions<T>): Field<T> => ({
  kind: 'object',
  shape,
  default: value,
  ...options,
});

export const isField = (entry: Field | Fields): entry is Field => typeof entry.kind === 'string';
