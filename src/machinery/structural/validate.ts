/**
 * Whether a value is what its schema says, in the words of upstream's validator: an error per rule that is broken, with
 * the path in the message as well as before it.
 *
 * An update is judged leniently (KEP-4008): what was there before and has not changed is not looked at.
 */
import { type FieldError, invalid, notSupported, required, tooLong, tooMany, typeInvalid } from '../field-error.ts';
import { FieldErrors } from '../field-errors.ts';
import { FieldPath } from '../field-path.ts';
import { goSyntax, goValue } from '../go-format.ts';
import { goQuote, GoSyntax } from '../go-quote.ts';
import { stringifyJson } from '../json/writer.ts';
import { keysOf, memberOf } from '../members.ts';
import { shownQuoted, shownText } from '../shown-text.ts';
import { isObject, type JsonObject, type JsonValue } from '../value.ts';
import { Errors, type Findings, Tentative } from './findings.ts';
import { formatCheckers } from './formats.ts';
import { matchesPattern, startMatching } from './patterns.ts';
import { tooMuch, Work } from './work.ts';

interface Place {
  /** `spec.list[0].name`; '' is the object itself. */
  readonly path: string;
  /** The value that was there before; undefined when there was none, or it cannot be determined. */
  readonly old: JsonValue | undefined;
  readonly found: Findings;
  readonly work: Work;
}

/** @param old the object as it was, on an update */
export function validateValue(value: JsonValue, schema: JsonObject, old?: JsonValue): FieldErrors {
  startMatching();
  const errors = new FieldErrors();
  try {
    check(value, schema, { path: '', old, found: new Errors(errors), work: new Work() });
  } catch (error) {
    if (error !== tooMuch) throw error;
    errors.push(invalid(FieldPath.root, '', 'takes too long to validate'));
  }
  return errors;
}

/** How much of the schema was met: among alternatives the errors of the best one are told. */
type Matches = number;

const checks: readonly ((value: JsonValue, schema: JsonObject, place: Place) => Matches | undefined)[] = [
  checkType,
  checkJunctors,
  checkString,
  checkFormat,
  checkNumber,
  checkItems,
  checkEnum,
  checkMembers,
];

function check(value: JsonValue, schema: JsonObject, place: Place): Matches {
  place.work.step();
  if (place.old !== undefined && place.work.isSame(place.old, value)) return 1;
  let matches = 0;
  for (const rule of value === null ? [checkType, checkEnum] : checks) {
    const found = rule(value, schema, place);
    if (found !== undefined) matches += found + 1;
  }
  return matches;
}

function failed({ found }: Place, make: () => FieldError): Matches {
  found.add(make);
  return 0;
}

const met: Matches = 1;

const pathOf = (path: string): FieldPath => (path === '' ? FieldPath.root : FieldPath.of(path));

/** `spec.size in body …` */
const inBody = ({ path }: Place, rule: string): string => `${shownText(path)} in body ${rule}`;

function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'bigint':
      return 'integer';
    case 'number':
      return Number.isInteger(value) ? 'integer' : 'number';
    default:
      return 'object';
  }
}

function checkType(value: JsonValue, schema: JsonObject, place: Place): Matches | undefined {
  const type = memberOf(schema, 'type');
  const intOrString = memberOf(schema, 'x-kubernetes-int-or-string') === true;
  const wanted = intOrString ? ['integer', 'string'] : typeof type === 'string' && type !== '' ? [type] : [];
  if (wanted.length === 0) return undefined;
  const actual = typeName(value);
  if (value === null && memberOf(schema, 'nullable') === true) return met;
  if (wanted.includes(actual) || (actual === 'integer' && wanted.includes('number'))) return met;
  return failed(place, () =>
    typeInvalid(pathOf(place.path), actual, inBody(place, `must be of type ${wanted.join(',')}: ${goQuote(actual)}`)),
  );
}

function schemasAt(schema: JsonObject, name: string): readonly JsonObject[] {
  const value = memberOf(schema, name);
  return Array.isArray(value) ? (value as JsonObject[]) : [];
}

function checkJunctors(value: JsonValue, schema: JsonObject, place: Place): Matches {
  let matches = met;
  const refuse = (text: string): void =>
    place.found.add(() => invalid(FieldPath.root, '', `${goQuote(shownText(place.path))} ${text}`));
  const [anyOf, oneOf, allOf] = ['anyOf', 'oneOf', 'allOf'].map((member) => schemasAt(schema, member)) as [
    readonly JsonObject[],
    readonly JsonObject[],
    readonly JsonObject[],
  ];
  if (anyOf.length > 0) {
    const { valid, best } = alternatives(value, anyOf, place);
    if (valid === 0) {
      refuse('must validate at least one schema (anyOf)');
      matches += takeOver(best!, place);
    }
  }
  if (oneOf.length > 0) {
    const { valid, best } = alternatives(value, oneOf, place);
    if (valid !== 1) {
      refuse(
        'must validate one and only one schema (oneOf). ' +
          `Found ${valid === 0 ? 'none valid' : `${valid} valid alternatives`}`,
      );
      if (valid === 0) matches += takeOver(best!, place);
    }
  }
  if (allOf.length > 0) {
    let valid = 0;
    for (const sub of allOf) {
      const before = place.found.count;
      matches += check(value, sub, { ...place, old: undefined });
      if (place.found.count === before) valid++;
    }
    if (valid < allOf.length) refuse(`must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
  }
  const not = memberOf(schema, 'not');
  if (isObject(not) && tried(value, not, place).found.count === 0) refuse('must not validate the schema (not)');
  return matches;
}

/** What a value does against a schema that it need not meet. */
interface Trial {
  readonly found: Tentative;
  readonly matches: Matches;
}

function tried(value: JsonValue, schema: JsonObject, place: Place): Trial {
  const found = new Tentative();
  return { found, matches: check(value, schema, { ...place, old: undefined, found }) };
}

function alternatives(
  value: JsonValue,
  schemas: readonly JsonObject[],
  place: Place,
): { valid: number; best: Trial | undefined } {
  let best: Trial | undefined;
  let valid = 0;
  for (const sub of schemas) {
    const trial = tried(value, sub, place);
    if (trial.found.count === 0) valid++;
    if (best === undefined || trial.matches > best.matches) best = trial;
  }
  return { valid, best };
}

function takeOver({ found, matches }: Trial, place: Place): Matches {
  found.tell(place.found);
  return matches;
}

function numberAt(schema: JsonObject, name: string): number | bigint | undefined {
  const value = memberOf(schema, name);
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
}

function checkString(value: JsonValue, schema: JsonObject, place: Place): Matches | undefined {
  if (typeof value !== 'string') return undefined;
  const [most, least] = [numberAt(schema, 'maxLength'), numberAt(schema, 'minLength')];
  const refuse = (rule: string): Matches =>
    failed(place, () => invalid(pathOf(place.path), value, inBody(place, rule)));
  if (most !== undefined && lengthOf(value) > most)
    return failed(place, () => tooLong(pathOf(place.path), Number(most)));
  if (least !== undefined && lengthOf(value) < least) return refuse(`should be at least ${least} chars long`);
  const pattern = memberOf(schema, 'pattern');
  const matches = typeof pattern === 'string' && pattern !== '' ? matchesPattern(pattern, value) : true;
  if (matches === undefined) return refuse(`takes too long to match '${String(pattern)}'`);
  return matches ? met : refuse(`should match '${String(pattern)}'`);
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

function checkFormat(value: JsonValue, schema: JsonObject, place: Place): Matches | undefined {
  const format = memberOf(schema, 'format');
  const isValid = typeof value === 'string' && typeof format === 'string' ? formatCheckers.get(format) : undefined;
  if (isValid === undefined) return undefined;
  if (isValid(value as string)) return met;
  return failed(place, () =>
    typeInvalid(
      pathOf(place.path),
      value as string,
      inBody(place, `must be of type ${format as string}: ${shownQuoted(value as string, goQuote)}`),
    ),
  );
}

function checkNumber(value: JsonValue, schema: JsonObject, place: Place): Matches | undefined {
  if (typeof value !== 'number' && typeof value !== 'bigint') return undefined;
  let matches = met;
  const refuse = (rule: string): void => {
    matches = failed(place, () => invalid(pathOf(place.path), new GoSyntax(goValue(value)), inBody(place, rule)));
  };
  const [factor, most, least] = [
    numberAt(schema, 'multipleOf'),
    numberAt(schema, 'maximum'),
    numberAt(schema, 'minimum'),
  ];
  if (factor !== undefined && !isMultiple(value, factor)) refuse(`should be a multiple of ${goValue(factor)}`);
  if (most !== undefined) {
    if (memberOf(schema, 'exclusiveMaximum') === true ? value >= most : value > most)
      refuse(
        `should be less than ${memberOf(schema, 'exclusiveMaximum') === true ? '' : 'or equal to '}${goValue(most)}`,
      );
  }
  if (least !== undefined) {
    const exclusive = memberOf(schema, 'exclusiveMinimum') === true;
    if (exclusive ? value <= least : value < least)
      refuse(`should be greater than ${exclusive ? '' : 'or equal to '}${goValue(least)}`);
  }
  return matches;
}

const isMultiple = (value: number | bigint, factor: number | bigint): boolean => {
  if (typeof value === 'bigint' && Number.isInteger(Number(factor))) return value % BigInt(factor) === 0n;
  return Number.isInteger(Number(value) / Number(factor));
};

function checkItems(value: JsonValue, schema: JsonObject, place: Place): Matches | undefined {
  if (!Array.isArray(value)) return undefined;
  let matches = met;
  const items = memberOf(schema, 'items');
  if (isObject(items)) {
    const oldOf = correlation(place.old, schema, items);
    for (const [i, item] of value.entries())
      matches += check(item, items, { ...place, path: `${place.path}[${i}]`, old: oldOf(item) });
  }
  const [most, least] = [numberAt(schema, 'maxItems'), numberAt(schema, 'minItems')];
  if (least !== undefined && value.length < least)
    place.found.add(() =>
      invalid(pathOf(place.path), value.length, inBody(place, `should have at least ${least} items`)),
    );
  if (most !== undefined && value.length > most)
    place.found.add(() => tooMany(pathOf(place.path), value.length, Number(most)));
  return matches;
}

/** Which item of the old list an item was: told by its keys, and by nothing in a list without any. */
function correlation(
  old: JsonValue | undefined,
  schema: JsonObject,
  items: JsonObject,
): (item: JsonValue) => JsonValue | undefined {
  const keys = memberOf(schema, 'x-kubernetes-list-map-keys');
  if (!Array.isArray(old) || memberOf(schema, 'x-kubernetes-list-type') !== 'map' || !Array.isArray(keys))
    return () => undefined;
  const properties = memberOf(items, 'properties');
  const idOf = (item: JsonValue): string =>
    isObject(item)
      ? stringifyJson((keys as string[]).map((key) => memberOf(item, key) ?? defaultOf(properties, key)))
      : '';
  const byId = new Map(old.map((item) => [idOf(item), item]));
  return (item) => byId.get(idOf(item));
}

function defaultOf(properties: JsonValue | undefined, key: string): JsonValue {
  const property = isObject(properties) ? memberOf(properties, key) : undefined;
  return (isObject(property) ? memberOf(property, 'default') : undefined) ?? null;
}

function checkEnum(value: JsonValue, schema: JsonObject, place: Place): Matches | undefined {
  const allowed = memberOf(schema, 'enum');
  if (!Array.isArray(allowed) || allowed.length === 0) return undefined;
  if (choicesOf(allowed).has(stringifyJson(value))) return met;
  return failed(place, () => {
    const shown = typeof value === 'object' ? new GoSyntax(value === null ? '"null"' : goSyntax(value)) : value;
    return notSupported(
      pathOf(place.path),
      shown,
      allowed.map((each) => (typeof each === 'string' ? each : stringifyJson(each))),
    );
  });
}

/** The values of an enum as JSON: a schema can have many, and an object as many that are compared with them. */
const choices = new WeakMap<readonly JsonValue[], ReadonlySet<string>>();

function choicesOf(allowed: readonly JsonValue[]): ReadonlySet<string> {
  let known = choices.get(allowed);
  if (known === undefined) choices.set(allowed, (known = new Set(allowed.map(stringifyJson))));
  return known;
}

function checkMembers(value: JsonValue, schema: JsonObject, place: Place): Matches | undefined {
  if (!isObject(value)) return undefined;
  const { found } = place;
  const keys = keysOf(value);
  const [most, least] = [numberAt(schema, 'maxProperties'), numberAt(schema, 'minProperties')];
  if (least !== undefined && keys.length < least)
    return failed(place, () =>
      invalid(pathOf(place.path), keys.length, inBody(place, `should have at least ${least} properties`)),
    );
  if (most !== undefined && keys.length > most)
    return failed(place, () => tooMany(pathOf(place.path), keys.length, Number(most)));
  let matches = met;
  const properties = memberOf(schema, 'properties');
  const additional = memberOf(schema, 'additionalProperties');
  const at = (key: string): string => (place.path === '' ? key : `${place.path}.${key}`);
  for (const key of keys.sort()) {
    const known = (isObject(properties) ? memberOf(properties, key) : undefined) ?? additional;
    if (isObject(known))
      matches += check(value[key]!, known, {
        ...place,
        path: at(key),
        old: isObject(place.old) ? memberOf(place.old, key) : undefined,
      });
    else if (known === false)
      found.add(() => invalid(FieldPath.root, '', `${shownText(at(key))} in body is a forbidden property`));
  }
  const wanted = memberOf(schema, 'required');
  for (const key of Array.isArray(wanted) ? (wanted as string[]) : []) {
    if (found.isFull) break;
    if (memberOf(value, key) === undefined) found.add(() => required(pathOf(at(key))));
  }
  return matches;
}
