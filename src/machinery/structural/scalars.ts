/** Checks of texts and numbers. */
import { invalid, tooLong, typeInvalid } from '../field-error.ts';
import { goValue } from '../go-format.ts';
import { goQuote, GoSyntax } from '../go-quote.ts';
import { memberOf } from '../members.ts';
import { truncateQuoted } from '../truncated-text.ts';
import type { JsonObject, JsonValue } from '../value.ts';
import { formatCheckers } from './formats.ts';
import { matchesPattern } from './patterns.ts';
import { type ValidatedValue, type Matches, failed, met, pathOf, inBody } from './validated-value.ts';

export function numberAt(schema: JsonObject, name: string): number | bigint | undefined {
  const value = memberOf(schema, name);
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
}

export function checkString(value: JsonValue, schema: JsonObject, place: ValidatedValue): Matches | undefined {
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

export function checkFormat(value: JsonValue, schema: JsonObject, place: ValidatedValue): Matches | undefined {
  const format = memberOf(schema, 'format');
  const isValid = typeof value === 'string' && typeof format === 'string' ? formatCheckers.get(format) : undefined;
  if (isValid === undefined) return undefined;
  if (isValid(value as string)) return met;
  return failed(place, () =>
    typeInvalid(
      pathOf(place.path),
      value as string,
      inBody(place, `must be of type ${format as string}: ${truncateQuoted(value as string, goQuote)}`),
    ),
  );
}

export function checkNumber(value: JsonValue, schema: JsonObject, place: ValidatedValue): Matches | undefined {
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
