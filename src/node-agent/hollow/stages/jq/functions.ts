/** Functions that programs can call: those that selectors of objects need. */
import { isObject, type JsonValue } from '../../../../machinery/value.ts';
import { elements, type Filter, isTruthy, JqRuntimeError, member, numeric, typeOf } from './values.ts';

type JqFunction = (parameters: readonly Filter[]) => Filter;

const text = (value: JsonValue): string => {
  if (typeof value !== 'string') throw new JqRuntimeError(`expected a string but got: ${typeOf(value)}`);
  return value;
};

/** A function of its input alone. */
const ofInput =
  (compute: (input: JsonValue) => JsonValue): JqFunction =>
  () =>
  (input) => [compute(input)];

/** A function of its input and one value. */
const ofValue =
  (compute: (input: JsonValue, value: JsonValue) => JsonValue): JqFunction =>
  ([parameter]) =>
  (input) =>
    parameter!(input).map((value) => compute(input, value));

/** By name and number of parameters. */
export const jqFunctions: ReadonlyMap<string, JqFunction> = new Map<string, JqFunction>([
  ['empty/0', () => () => []],
  ['not/0', ofInput((input) => !isTruthy(input))],
  ['length/0', ofInput(lengthOf)],
  ['type/0', ofInput(typeOf)],
  ['keys/0', ofInput((input) => keysOf(input).sort())],
  ['first/0', ofInput((input) => elements(input)[0] ?? null)],
  ['last/0', ofInput((input) => elements(input).at(-1) ?? null)],
  ['any/0', ofInput((input) => elements(input).some(isTruthy))],
  ['all/0', ofInput((input) => elements(input).every(isTruthy))],
  ['tostring/0', ofInput((input) => (typeof input === 'string' ? input : JSON.stringify(input)))],
  ['tonumber/0', ofInput(toNumber)],
  ['ascii_downcase/0', ofInput((input) => text(input).toLowerCase())],
  ['has/1', ofValue((input, key) => typeOf(member(input, key)) !== 'null')],
  ['startswith/1', ofValue((input, start) => text(input).startsWith(text(start)))],
  ['endswith/1', ofValue((input, end) => text(input).endsWith(text(end)))],
  ['contains/1', ofValue((input, part) => text(input).includes(text(part)))],
  [
    'select/1',
    ([condition]) =>
      (input) =>
        condition!(input).flatMap((value) => (isTruthy(value) ? [input] : [])),
  ],
  [
    'map/1',
    ([each]) =>
      (input) => [elements(input).flatMap((element) => [...each!(element)])],
  ],
  [
    'any/1',
    ([each]) =>
      (input) => [elements(input).some((element) => each!(element).some(isTruthy))],
  ],
  [
    'all/1',
    ([each]) =>
      (input) => [elements(input).every((element) => each!(element).every(isTruthy))],
  ],
]);

function lengthOf(value: JsonValue): number {
  if (value === null) return 0;
  if (typeof value === 'string') return [...value].length;
  if (typeof value === 'boolean') throw new JqRuntimeError('boolean has no length');
  return typeof value === 'object' ? elements(value).length : Math.abs(numeric(value));
}

function keysOf(value: JsonValue): JsonValue[] {
  if (!isObject(value)) throw new JqRuntimeError(`${typeOf(value)} has no keys`);
  return Object.keys(value);
}

function toNumber(value: JsonValue): number {
  if (typeof value !== 'string') return numeric(value);
  const number = Number(value);
  if (value.trim() === '' || Number.isNaN(number)) throw new JqRuntimeError(`cannot be parsed as a number: ${value}`);
  return number;
}
