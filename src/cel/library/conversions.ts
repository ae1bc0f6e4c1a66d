/**
 * Conversions between types. @see {@link
 * https://github.com/google/cel-spec/blob/master/doc/langdef.md#list-of-standard-definitions | CEL language definition:
 * standard definitions}
 */
import { DurationParseError, parseDuration } from '../../machinery/duration.ts';
import { type FunctionDeclaration, globalOverload, type Library, type Overload } from '../check/declarations.ts';
import {
  type CelType,
  durationType,
  listType,
  mapType,
  nullType,
  timestampType,
  typeParameter,
  typeType,
} from '../check/types.ts';
import * as estimates from '../cost/call-estimates.ts';
import { readsFirst } from '../cost/sizes.ts';
import { typeNameOf } from '../values/compare.ts';
import { durationText, timestampOf, timestampText } from '../values/time-text.ts';
import type { Timestamp } from '../values/values.ts';
import { CelError, Double, type Duration, TypeValue, Uint, type Value } from '../values/values.ts';
import { durationResult, type Int, intResult, timeResult, uintResult } from './arithmetic.ts';
import { A, B, D, dyn, I, P, S, T, U, Y } from './signatures.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const range = new CelError('range error: value out of range');
const decimalInt = /^[+-]?\d+$/;
const decimalUint = /^\d+$/;
const decimalDouble = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|inf|infinity|nan)$/i;

/** @NOTE differs from upstream: texts longer than any number needs are refused instead of being read through. */
const maxNumberText = 1000;

const typeError = (text: string, type: string): CelError =>
  new CelError(`type conversion error from 'string' to '${type}': ${JSON.stringify(text.slice(0, maxNumberText))}`);

function doubleToInt({ value }: Double): Value {
  // Doubles next to the borders of int64 are out of range, as upstream has it.
  return Number.isFinite(value) && value > -(2 ** 63) && value < 2 ** 63 ? intResult(BigInt(Math.trunc(value))) : range;
}

function doubleToUint({ value }: Double): Value {
  return Number.isFinite(value) && value >= 0 && value < 2 ** 64 ? new Uint(BigInt(Math.trunc(value))) : range;
}

function textToInt(text: string): Value {
  return text.length <= maxNumberText && decimalInt.test(text)
    ? intResult(BigInt(text.replace(/^\+/, '')))
    : typeError(text, 'int');
}

function textToUint(text: string): Value {
  return text.length <= maxNumberText && decimalUint.test(text) ? uintResult(BigInt(text)) : typeError(text, 'uint');
}

function textToDouble(text: string): Value {
  if (text.length > maxNumberText || !decimalDouble.test(text)) return typeError(text, 'double');
  const infinite = /^([+-]?)inf/i.exec(text);
  return new Double(infinite === null ? Number(text) : infinite[1] === '-' ? -Infinity : Infinity);
}

const trueTexts = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const falseTexts = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

function textToBool(text: string): Value {
  return trueTexts.has(text) ? true : falseTexts.has(text) ? false : typeError(text, 'bool');
}

function bytesToText(bytes: Uint8Array): Value {
  try {
    return utf8.decode(bytes);
  } catch {
    return new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

/** As Go prints a float64 with `%g` and the fewest digits. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const exponent = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  if (exponent >= -4 && exponent < 21) return Object.is(value, -0) ? '-0' : plainText(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

/** JavaScript writes small numbers with an exponent where Go does not yet. */
const plainText = (value: number): string =>
  String(value).includes('e') ? value.toFixed(20).replace(/0+$/, '') : String(value);

function textToDuration(text: string): Value {
  if (text.length > maxNumberText) return typeError(text.slice(0, maxNumberText), 'duration');
  try {
    return durationResult(parseDuration(text));
  } catch (error) {
    if (error instanceof DurationParseError) return typeError(text, 'duration');
    throw error;
  }
}

const from = (id: string, type: CelType, result: CelType, run: Overload['run'], extras = {}): Overload =>
  globalOverload(id, [type], result, run, extras);
const same = <T>(value: T): T => value;

const functions: readonly FunctionDeclaration[] = [
  {
    name: 'int',
    overloads: [
      from('int64_to_int64', I, I, same),
      from('uint64_to_int64', U, I, ({ value }: Uint) => intResult(value)),
      from('double_to_int64', D, I, doubleToInt),
      from('string_to_int64', S, I, textToInt),
      from('timestamp_to_int64', T, I, ({ seconds }: Timestamp) => seconds),
      from('duration_to_int64', P, I, ({ nanos }: Duration) => intResult(nanos)),
    ],
  },
  {
    name: 'uint',
    overloads: [
      from('uint64_to_uint64', U, U, same),
      from('int64_to_uint64', I, U, (value: Int) => uintResult(BigInt(value))),
      from('double_to_uint64', D, U, doubleToUint),
      from('string_to_uint64', S, U, textToUint),
    ],
  },
  {
    name: 'double',
    overloads: [
      from('double_to_double', D, D, same),
      from('int64_to_double', I, D, (value: Int) => new Double(Number(value))),
      from('uint64_to_double', U, D, ({ value }: Uint) => new Double(Number(value))),
      from('string_to_double', S, D, textToDouble),
    ],
  },
  { name: 'bool', overloads: [from('bool_to_bool', B, B, same), from('string_to_bool', S, B, textToBool)] },
  {
    name: 'string',
    overloads: [
      from('string_to_string', S, S, same),
      from('bool_to_string', B, S, String),
      from('int64_to_string', I, S, String),
      from('uint64_to_string', U, S, ({ value }: Uint) => String(value)),
      from('double_to_string', D, S, ({ value }: Double) => doubleText(value)),
      from('bytes_to_string', Y, S, bytesToText, { cost: readsFirst, estimate: estimates.bytesToText }),
      from('timestamp_to_string', T, S, timestampText),
      from('duration_to_string', P, S, ({ nanos }: Duration) => durationText(nanos)),
    ],
  },
  {
    name: 'bytes',
    overloads: [
      from('bytes_to_bytes', Y, Y, same),
      from('string_to_bytes', S, Y, (text: string) => Buffer.from(text, 'utf8'), {
        cost: readsFirst,
        estimate: estimates.textToBytes,
      }),
    ],
  },
  {
    name: 'timestamp',
    overloads: [
      from('timestamp_to_timestamp', T, T, same),
      from('int64_to_timestamp', I, T, (value: Int) => timeResult(Number(value), 0)),
      from(
        'string_to_timestamp',
        S,
        T,
        (text: string) =>
          (text.length <= maxNumberText ? timestampOf(text) : undefined) ?? typeError(text, 'timestamp'),
      ),
    ],
  },
  {
    name: 'duration',
    overloads: [
      from('duration_to_duration', P, P, same),
      from('int64_to_duration', I, P, (value: Int) => durationResult(BigInt(value))),
      from('string_to_duration', S, P, textToDuration),
    ],
  },
  { name: 'dyn', overloads: [from('to_dyn', A, dyn, same)] },
  { name: 'type', overloads: [from('type', A, typeType(A), (value: Value) => new TypeValue(typeNameOf(value)))] },
];

export const conversions: Library = {
  functions,
  types: new Map<string, CelType>([
    ['bool', B],
    ['int', I],
    ['uint', U],
    ['double', D],
    ['string', S],
    ['bytes', Y],
    ['list', listType(dyn)],
    ['map', mapType(dyn, dyn)],
    ['type', typeType(typeParameter('T'))],
    ['null_type', nullType],
    ['google.protobuf.Timestamp', timestampType],
    ['google.protobuf.Duration', durationType],
  ]),
};
