/**
 * Whether a value is what its schema says, in the words of upstream's validator: an error per rule that is broken, with
 * the path in the message as well as before it.
 *
 * What an update leaves unchanged is not validated again (`ratcheting.ts`).
 */
import { invalid, notSupported, required, tooMany, typeInvalid } from '../field-error.ts';
import { FieldErrors } from '../field-errors.ts';
import { FieldPath } from '../field-path.ts';
import { goSyntax } from '../go-format.ts';
import { goQuote, GoSyntax } from '../go-quote.ts';
import { stringifyJson } from '../json/writer.ts';
import { jsonTypeOf } from '../json-type.ts';
import { keysOf, memberOf } from '../members.ts';
import { truncateText } from '../truncated-text.ts';
import { isObject, type JsonObject, type JsonValue } from '../value.ts';
import { CollectedErrors, TentativeErrors } from './validation-errors.ts';
import { startMatching } from './patterns.ts';
import { isUnchanged, oldItems, oldMember } from './ratcheting.ts';
import { tooMuch, StepLimit } from './step-limit.ts';
import { type ValidatedValue, type Matches, failed, met, pathOf, inBody } from './validated-value.ts';
import { numberAt, checkString, checkFormat, checkNumber } from './scalars.ts';

/**
 * @param old the object as it was, on an update
 * @param compared told of what comparing the two took
 */
export function validateValue(
  value: JsonValue,
  schema: JsonObject,
  old?: JsonValue,
  compared?: (milliseconds: number) => void,
): FieldErrors {
  startMatching();
  const errors = new FieldErrors();
  const work = new StepLimit();
  try {
    check(value, schema, { path: '', old, found: new CollectedErrors(errors), work });
  } catch (error) {
    if (error !== tooMuch) throw error;
    errors.push(invalid(FieldPath.root, '', 'takes too long to validate'));
  }
  compared?.(work.comparedMs);
  return errors;
}

const checks: readonly ((value: JsonValue, schema: JsonObject, place: ValidatedValue) => Matches | undefined)[] = [
  checkType,
  checkJunctors,
  checkString,
  checkFormat,
  checkNumber,
  checkItems,
  checkEnum,
  checkMembers,
];

function check(value: JsonValue, schema: JsonObject, place: ValidatedValue): Matches {
  place.work.step();
  if (isUnchanged(place.old, value, place.work)) return 1;
  let matches = 0;
  for (const rule of value === null ? [checkType, checkEnum] : checks) {
    const found = rule(value, schema, place);
    if (found !== undefined) matches += found + 1;
  }
  return matches;
}

function checkType(value: JsonValue, schema: JsonObject, place: ValidatedValue): Matches | undefined {
  const type = memberOf(schema, 'type');
  const intOrString = memberOf(schema, 'x-kubernetes-int-or-string') === true;
  const wanted = intOrString ? ['integer', 'string'] : typeof type === 'string' && type !== '' ? [type] : [];
  if (wanted.length === 0) return undefined;
  const actual = jsonTypeOf(value);
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

function checkJunctors(value: JsonValue, schema: JsonObject, place: ValidatedValue): Matches {
  let matches = met;
  const refuse = (text: string): void =>
    place.found.add(() => invalid(FieldPath.root, '', `${goQuote(truncateText(place.path))} ${text}`));
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
  readonly found: TentativeErrors;
  readonly matches: Matches;
}

function tried(value: JsonValue, schema: JsonObject, place: ValidatedValue): Trial {
  const found = new TentativeErrors();
  return { found, matches: check(value, schema, { ...place, old: undefined, found }) };
}

function alternatives(
  value: JsonValue,
  schemas: readonly JsonObject[],
  place: ValidatedValue,
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

function takeOver({ found, matches }: Trial, place: ValidatedValue): Matches {
  found.copyTo(place.found);
  return matches;
}

function checkItems(value: JsonValue, schema: JsonObject, place: ValidatedValue): Matches | undefined {
  if (!Array.isArray(value)) return undefined;
  let matches = met;
  const items = memberOf(schema, 'items');
  if (isObject(items)) {
    const oldOf = oldItems(place.old, schema, items);
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

function checkEnum(value: JsonValue, schema: JsonObject, place: ValidatedValue): Matches | undefined {
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

function checkMembers(value: JsonValue, schema: JsonObject, place: ValidatedValue): Matches | undefined {
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
        old: oldMember(place.old, key),
      });
    else if (known === false)
      found.add(() => invalid(FieldPath.root, '', `${truncateText(at(key))} in body is a forbidden property`));
  }
  const wanted = memberOf(schema, 'required');
  for (const key of Array.isArray(wanted) ? (wanted as string[]) : []) {
    if (found.isFull) break;
    if (memberOf(value, key) === undefined) found.add(() => required(pathOf(at(key))));
  }
  return matches;
}
