/** Small decisions of the exact decoder: what is zero, which numbers fit, how a value is written. */
import type { Links } from '../codec/link.ts';
import type { Element, Member, TypePlan } from '../codec/plan.ts';
import { zeroTime } from '../codec/well-known-read.ts';
import type { JsonObject, JsonValue } from '../value.ts';
import { createMap, RawJson } from '../value.ts';
import { JsonTypeError } from './json-error.ts';
import { JsonNumber, numberOf } from './number.ts';
import { maxValueDepth } from './reader.ts';
import { stringifyJson } from './writer.ts';

const zeros: Readonly<Record<string, JsonValue>> = {
  string: '',
  bool: false,
  int32: 0,
  int64: 0,
  uint32: 0,
  uint64: 0,
  goDuration: 0,
  double: 0,
  duration: '0s',
  quantity: '0',
  intOrString: 0,
};

/** What a field that is no pointer leaves out. */
export const zeroOf = (element: Element): JsonValue | undefined => zeros[element.fieldType];

/** What null is in a list or a map. */
export function zeroItemOf(element: Element): JsonValue {
  switch (element.fieldType) {
    case 'bytes':
      return '';
    case 'time':
    case 'microtime':
      return zeroTime;
    case 'texts':
      return [];
    case 'schemaOrBool':
      return false;
    default:
      return zeros[element.fieldType] ?? null;
  }
}

/** Sets a member; removes it when there is nothing or zero to set. */
export function setUnlessZero(object: JsonObject, name: string, value: JsonValue | undefined, zero?: JsonValue): void {
  if (value !== undefined && value !== zero) object[name] = value;
  else if (object[name] !== undefined) delete object[name];
}

export function dropMembers(object: JsonObject, ...names: string[]): void {
  for (const name of names) if (object[name] !== undefined) delete object[name];
}

export const isCarried = (fieldType: Element['fieldType']): boolean =>
  fieldType === 'rawExtension' || fieldType === 'fieldsV1' || fieldType === 'unknown';

const membersOf = new WeakMap<TypePlan, Map<string, Member | 'typeMeta'>>();

/** The member of that name, also of inlined structs; names are case-sensitive. */
export function findMember(plan: TypePlan, links: Links, name: string): Member | 'typeMeta' | undefined {
  let members = membersOf.get(plan);
  if (members === undefined) membersOf.set(plan, (members = collectMembers(plan, links)));
  return members.get(name);
}

function collectMembers(plan: TypePlan, links: Links): Map<string, Member | 'typeMeta'> {
  const members = new Map<string, Member | 'typeMeta'>(
    plan.kind
      ? [
          ['kind', 'typeMeta'],
          ['apiVersion', 'typeMeta'],
        ]
      : [],
  );
  for (const field of plan.members) {
    if (field.shape !== 'inline') members.set(field.json, field);
    else if (field.element.fieldType === 'struct')
      for (const [name, inner] of collectMembers(links.plans.of(field.element.type), links)) members.set(name, inner);
  }
  return members;
}

/** A number as JSON writes it. */
export const numberText = (value: number | bigint): string => (value === 0 ? '0' : String(value));

const ranges: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  goDuration: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
  uint8: [0n, 255n],
};

/** The number of a field of this type; undefined when the literal does not fit. */
export function readNumber(literal: string, fieldType: string): JsonValue | undefined {
  const range = ranges[fieldType];
  if (range === undefined) {
    const value = Number(literal);
    return Number.isFinite(value) ? value : undefined;
  }
  if (!/^-?\d{1,20}$/.test(literal) || (literal.startsWith('-') && range[0] === 0n)) return undefined;
  const value = BigInt(literal);
  if (value < range[0] || value > range[1]) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/**
 * A value without a type: numbers as numbers, maps without a prototype. Throws {@link JsonTypeError} for one that is
 * too deep.
 */
export function plain(value: JsonValue, depth = maxValueDepth): JsonValue {
  if (value instanceof JsonNumber) return numberOf(value.text);
  if (typeof value !== 'object' || value === null || value instanceof RawJson) return value;
  if (depth === 0) throw new JsonTypeError('exceeded max depth');
  if (Array.isArray(value)) return value.map((item) => plain(item, depth - 1));
  const map = createMap<JsonValue | undefined>();
  for (const key of Object.keys(value)) map[key] = value[key] === undefined ? undefined : plain(value[key], depth - 1);
  return map;
}

/** The JSON text of a value whose own text is not known. */
export function scalarText(value: JsonValue): string {
  return value instanceof JsonNumber ? value.text : stringifyJson(value);
}
