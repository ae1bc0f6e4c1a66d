/**
 * Values that may be absent. @see {@link https://pkg.go.dev/github.com/google/cel-go/cel#OptionalTypes | Optional
 * types}
 */
import { globalOverload, type Library, memberOverload } from '../check/declarations.ts';
import { optionalType, typeParameter } from '../check/types.ts';
import {
  CelError,
  Double,
  Duration,
  ListValue,
  MapValue,
  noValue,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from '../values/values.ts';
import { optionalOperators } from './operators.ts';
import { A, B } from './signatures.ts';

const optionalOfA = optionalType(A);

/** What a type starts from: absent for `ofNonZeroValue`. */
function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0 || value === '') return true;
  if (value instanceof ListValue || value instanceof MapValue) return value.size === 0;
  if (value instanceof Double) return value.value === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Timestamp) return value.seconds === -62135596800 && value.nanos === 0;
  if (value instanceof Optional) return value.value === undefined;
  return value instanceof Uint8Array && value.length === 0;
}

export const optionals: Library = {
  functions: [
    ...optionalOperators,
    {
      name: 'optional.of',
      overloads: [globalOverload('optional_of', [A], optionalOfA, (value: Value) => new Optional(value))],
    },
    {
      name: 'optional.ofNonZeroValue',
      overloads: [
        globalOverload('optional_ofNonZeroValue', [A], optionalOfA, (value: Value) =>
          isZero(value) ? noValue : new Optional(value),
        ),
      ],
    },
    { name: 'optional.none', overloads: [globalOverload('optional_none', [], optionalOfA, () => noValue)] },
    {
      name: 'hasValue',
      overloads: [memberOverload('optional_hasValue', [optionalOfA], B, ({ value }: Optional) => value !== undefined)],
    },
    {
      name: 'value',
      overloads: [
        memberOverload(
          'optional_value',
          [optionalOfA],
          A,
          ({ value }: Optional) => value ?? (value === null ? null : new CelError('optional.none() dereference')),
        ),
      ],
    },
  ],
  types: new Map([['optional_type', optionalType(typeParameter('V'))]]),
};
