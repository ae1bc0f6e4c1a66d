/**
 * Whether a value is what its schema says, in the words of upstream's validator: an error per rule that is broken, with
 * the path in the message as well as before it.
 *
 * An update is judged leniently (KEP-4008): what was there before and has not changed is not looked at.
 */
import { type FieldError, invalid, notSupported, required, tooLong, tooMany, typeInvalid } from '../field-error.ts';
import { FieldPath } from '../field-path.ts';
import { goSyntax, goValue } from '../go-format.ts';
import { goQuote, GoSyntax } from '../go-quote.ts';
import { stringifyJson } from '../json/writer.ts';
import { jsonEqual, keysOf, memberOf } from '../members.ts';
import { isObject, type JsonObject, type JsonValue } from '../value.ts';
import { formatCheckers } from './formats.ts';
import { matchesPattern, startMatching } from './patterns.ts';

/** Errors, and how much of the schema was met: among alternatives the errors of the best one are told. */
interface Result {
  readonly errors: FieldError[];
  matches: number;
}

interface Place {
  /** `spec.list[0].name`; '' is the object itself. */
  readonly path: string;
  /** What stood there before; undefined where there was nothing, or nobody can tell. */
  readonly old: JsonValue | undefined;
}

/** @param old the object as it was, on an update */
export function validateValue(value: JsonValue, schema: JsonObject, old?: JsonValue): FieldError[] {
  startMatching();
  return check(value, schema, { path: '', old }).errors;
}

const checks: readonly ((value: JsonValue, schema: JsonObject, place: Place) => Result | undefined)[] = [
  checkType, checkJunctors, checkString, checkFormat, checkNumber, checkItems, checkEnum, checkMembers,
];

function check(value: JsonValue, schema: JsonObject, place: Place): Result {
  const result: Result = { errors: [], matches: 0 };
  if (place.old !== undefined && jsonEqual(place.old, value)) return { errors: [], matches: 1 };
  for (const rule of value === null ? [checkType, checkEnum] : checks) {
    const found = rule(value, schema, place);
    if (found === undefined) continue;
    merge(result, found);
    result.matches++;
  }
  return result;
}

function merge(into: Result, { errors, matches }: Result): void {
  into.errors.push(...errors);
  into.matches += matches;
}

const failed = (...errors: FieldError[]): Result => ({ errors, matches: 0 });
const met = (): Result => ({ errors: [], matches: 1 });

const pathOf = (path: string): FieldPath => (path === '' ? FieldPath.root : FieldPath.of(path));

/** `spec.size in body …` */
const inBody = ({ path }: Place, rule: string): string => `${path} in body ${rule}`;

function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'string': return 'string';
    case 'boolean': return 'boolean';
    case 'bigint': return 'integer';
    case 'number': return Number.isInteger(value) ? 'integer' : 'number';
    default: return 'object';
  }
}

function checkType(value: JsonValue, schema: JsonObject, place: Place): Result | undefined {
  const type = memberOf(schema, 'type');
  const intOrString = memberOf(schema, 'x-kubernetes-int-or-string') === true;
  const wanted = intOrString ? ['integer', 'string'] : typeof type === 'string' && type !== '' ? [type] : [];
  if (wanted.length === 0) return undefined;
  const actual = typeName(value);
  if (value === null && memberOf(schema, 'nullable') === true) return met();
  if (wanted.includes(actual) || (actual === 'integer' && wanted.includes('number'))) return met();
  return failed(typeInvalid(pathOf(place.path), actual, inBody(place, `must be of type ${wanted.join(',')}: ${goQuote(actual)}`)));
}

function schemasAt(schema: JsonObject, name: string): readonly JsonObject[] {
  const value = memberOf(schema, name);
  return Array.isArray(value) ? (value as JsonObject[]) : [];
}

function checkJunctors(value: JsonValue, schema: JsonObject, place: Place): Result {
  const result = met();
  const name = goQuote(place.path);
  const refuse = (text: string): void => void result.errors.push(invalid(FieldPath.root, '', `${name} ${text}`));
  const [anyOf, oneOf, allOf] = ['anyOf', 'oneOf', 'allOf'].map((member) => schemasAt(schema, member)) as [readonly JsonObject[], readonly JsonObject[], readonly JsonObject[]];
  if (anyOf.length > 0) {
    const { valid, best } = alternatives(value, anyOf, place);
    if (valid === 0) {
      refuse('must validate at least one schema (anyOf)');
      merge(result, best!);
    }
  }
  if (oneOf.length > 0) {
    const { valid, best } = alternatives(value, oneOf, place);
    if (valid !== 1) {
      refuse(`must validate one and only one schema (oneOf). Found ${valid === 0 ? 'none valid' : `${valid} valid alternatives`}`);
      if (valid === 0) merge(result, best!);
    }
  }
  if (allOf.length > 0) {
    const results = allOf.map((sub) => check(value, sub, { ...place, old: undefined }));
    for (const each of results) merge(result, each);
    const valid = results.filter(({ errors }) => errors.length === 0).length;
    if (valid < results.length) refuse(`must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
  }
  const not = memberOf(schema, 'not');
  if (isObject(not) && check(value, not, { ...place, old: undefined }).errors.length === 0) refuse('must not validate the schema (not)');
  return result;
}

function alternatives(value: JsonValue, schemas: readonly JsonObject[], place: Place): { valid: number; best: Result | undefined } {
  const results = schemas.map((sub) => check(value, sub, { ...place, old: undefined }));
  let best: Result | undefined;
  for (const each of results) if (best === undefined || each.matches > best.matches) best = each;
  return { valid: results.filter(({ errors }) => errors.length === 0).length, best };
}

function numberAt(schema: JsonObject, name: string): number | bigint | undefined {
  const value = memberOf(schema, name);
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
}

function checkString(value: JsonValue, schema: JsonObject, place: Place): Result | undefined {
  if (typeof value !== 'string') return undefined;
  const [most, least] = [numberAt(schema, 'maxLength'), numberAt(schema, 'minLength')];
  const path = pathOf(place.path);
  if (most !== undefined && lengthOf(value) > most) return failed(tooLong(path, Number(most)));
  if (least !== undefined && lengthOf(value) < least) return failed(invalid(path, value, inBody(place, `should be at least ${least} chars long`)));
  const pattern = memberOf(schema, 'pattern');
  const matches = typeof pattern === 'string' && pattern !== '' ? matchesPattern(pattern, value) : true;
  if (matches === undefined) return failed(invalid(path, value, inBody(place, `takes too long to match '${String(pattern)}'`)));
  return matches ? met() : failed(invalid(path, value, inBody(place, `should match '${String(pattern)}'`)));
}

/** Characters, not UTF-16 units. */
function lengthOf(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0xd800 && code < 0xdc00 && text.charCodeAt(i + 1) >= 0xdc00) length--;
  }
  return length;
}

function checkFormat(value: JsonValue, schema: JsonObject, place: Place): Result | undefined {
  const format = memberOf(schema, 'format');
  const isValid = typeof value === 'string' && typeof format === 'string' ? formatCheckers.get(format) : undefined;
  if (isValid === undefined) return undefined;
  if (isValid(value as string)) return met();
  return failed(typeInvalid(pathOf(place.path), value as string, inBody(place, `must be of type ${format as string}: ${goQuote(value as string)}`)));
}

function checkNumber(value: JsonValue, schema: JsonObject, place: Place): Result | undefined {
  if (typeof value !== 'number' && typeof value !== 'bigint') return undefined;
  const errors: FieldError[] = [];
  const refuse = (rule: string): void => void errors.push(invalid(pathOf(place.path), new GoSyntax(goValue(value)), inBody(place, rule)));
  const [factor, most, least] = [numberAt(schema, 'multipleOf'), numberAt(schema, 'maximum'), numberAt(schema, 'minimum')];
  if (factor !== undefined && !isMultiple(value, factor)) refuse(`should be a multiple of ${goValue(factor)}`);
  if (most !== undefined) {
    if (memberOf(schema, 'exclusiveMaximum') === true ? value >= most : value > most) refuse(`should be less than ${memberOf(schema, 'exclusiveMaximum') === true ? '' : 'or equal to '}${goValue(most)}`);
  }
  if (least !== undefined) {
    if (memberOf(schema, 'exclusiveMinimum') === true ? value <= least : value < least) refuse(`should be greater than ${memberOf(schema, 'exclusiveMinimum') === true ? '' : 'or equal to '}${goValue(least)}`);
  }
  return { errors, matches: errors.length === 0 ? 1 : 0 };
}

const isMultiple = (value: number | bigint, factor: number | bigint): boolean => {
  if (typeof value === 'bigint' && Number.isInteger(Number(factor))) return value % BigInt(factor) === 0n;
  return Number.isInteger(Number(value) / Number(factor));
};

function checkItems(value: JsonValue, schema: JsonObject, place: Place): Result | undefined {
  if (!Array.isArray(value)) return undefined;
  const result = met();
  const items = memberOf(schema, 'items');
  if (isObject(items)) {
    const oldOf = correlation(place.old, schema, items);
    for (const [i, item] of value.entries()) merge(result, check(item, items, { path: `${place.path}[${i}]`, old: oldOf(item) }));
  }
  const [most, least] = [numberAt(schema, 'maxItems'), numberAt(schema, 'minItems')];
  if (least !== undefined && value.length < least) result.errors.push(invalid(pathOf(place.path), value.length, inBody(place, `should have at least ${least} items`)));
  if (most !== undefined && value.length > most) result.errors.push(tooMany(pathOf(place.path), value.length, Number(most)));
  return result;
}

/** Which item of the old list an item was: told by its keys, and by nothing in a list without any. */
function correlation(old: JsonValue | undefined, schema: JsonObject, items: JsonObject): (item: JsonValue) => JsonValue | undefined {
  const keys = memberOf(schema, 'x-kubernetes-list-map-keys');
  if (!Array.isArray(old) || memberOf(schema, 'x-kubernetes-list-type') !== 'map' || !Array.isArray(keys)) return () => undefined;
  const properties = memberOf(items, 'properties');
  const idOf = (item: JsonValue): string => (isObject(item) ? stringifyJson((keys as string[]).map((key) => memberOf(item, key) ?? defaultOf(properties, key))) : '');
  const byId = new Map(old.map((item) => [idOf(item), item]));
  return (item) => byId.get(idOf(item));
}

function defaultOf(properties: JsonValue | undefined, key: string): JsonValue {
  const property = isObject(properties) ? memberOf(properties, key) : undefined;
  return (isObject(property) ? memberOf(property, 'default') : undefined) ?? null;
}

function checkEnum(value: JsonValue, schema: JsonObject, place: Place): Result | undefined {
  const allowed = memberOf(schema, 'enum');
  if (!Array.isArray(allowed) || allowed.length === 0) return undefined;
  if (allowed.some((each) => jsonEqual(each, value))) return met();
  const shown = typeof value === 'object' ? new GoSyntax(value === null ? '"null"' : goSyntax(value)) : value;
  return failed(notSupported(pathOf(place.path), shown, allowed.map((each) => (typeof each === 'string' ? each : stringifyJson(each)))));
}

function checkMembers(value: JsonValue, schema: JsonObject, place: Place): Result | undefined {
  if (!isObject(value)) return undefined;
  const keys = keysOf(value);
  const [most, least] = [numberAt(schema, 'maxProperties'), numberAt(schema, 'minProperties')];
  if (least !== undefined && keys.length < least) return failed(invalid(pathOf(place.path), keys.length, inBody(place, `should have at least ${least} properties`)));
  if (most !== undefined && keys.length > most) return failed(tooMany(pathOf(place.path), keys.length, Number(most)));
  const result = met();
  const properties = memberOf(schema, 'properties');
  const additional = memberOf(schema, 'additionalProperties');
  const at = (key: string): string => (place.path === '' ? key : `${place.path}.${key}`);
  for (const key of keys.sort()) {
    const known = (isObject(properties) ? memberOf(properties, key) : undefined) ?? additional;
    if (isObject(known)) merge(result, check(value[key]!, known, { path: at(key), old: isObject(place.old) ? memberOf(place.old, key) : undefined }));
    else if (known === false) result.errors.push(invalid(FieldPath.root, '', `${at(key)} in body is a forbidden property`));
  }
  const wanted = memberOf(schema, 'required');
  for (const key of Array.isArray(wanted) ? (wanted as string[]) : []) if (memberOf(value, key) === undefined) result.errors.push(required(pathOf(at(key))));
  return result;
}
