/**
 * JSON values as Go's fmt package prints them (`%v`, `%#v`, `%T`): some errors of the API show a value this way, and
 * clients see the text.
 * @see {@link https://pkg.go.dev/fmt | package fmt}
 */
import { goQuote } from './go-quote.ts';
import { jsonTypeOf, type JsonType } from './json-type.ts';
import { TruncatedText, truncateQuoted } from './truncated-text.ts';
import { isObject, type JsonObject, type JsonValue } from './value.ts';

/** `%v`: `map[a:1 b:[x y]]`, keys sorted, texts bare. As much as an error shows. */
export function goValue(value: JsonValue | undefined): string {
  const text = new TruncatedText();
  addValue(text, value);
  return text.toString();
}

function addValue(text: TruncatedText, value: JsonValue | undefined): void {
  if (value === null || value === undefined) text.add('<nil>');
  else if (typeof value === 'number') text.add(goNumber(value));
  else if (Array.isArray(value))
    text
      .add('[')
      .addAll(value, ' ', (item) => addValue(text, item))
      .add(']');
  else if (isObject(value))
    text
      .add('map[')
      .addAll(sortedKeys(value), ' ', (key) => addValue(text.add(`${key}:`), value[key]))
      .add(']');
  else text.add(String(value));
}

/** `%#v`: `map[string]interface {}{"a":1}`. As much as an error shows. */
export function goSyntax(value: JsonValue | undefined): string {
  const text = new TruncatedText();
  addSyntax(text, value);
  return text.toString();
}

function addSyntax(text: TruncatedText, value: JsonValue | undefined): void {
  if (value === null || value === undefined) text.add('interface {}(nil)');
  else if (typeof value === 'string') text.add(truncateQuoted(value, goQuote));
  else if (typeof value === 'number') text.add(goNumber(value));
  else if (Array.isArray(value))
    text
      .add('[]interface {}{')
      .addAll(value, ', ', (item) => addSyntax(text, item))
      .add('}');
  else if (isObject(value))
    text
      .add('map[string]interface {}{')
      .addAll(sortedKeys(value), ', ', (key) => addSyntax(text.add(`${truncateQuoted(key, goQuote)}:`), value[key]))
      .add('}');
  else text.add(String(value));
}

/** What decoding makes of each type; nil is what `%s` makes of a missing type. */
const goTypes: Readonly<Record<JsonType, string>> = {
  null: '%!s(<nil>)',
  array: '[]interface {}',
  string: 'string',
  boolean: 'bool',
  integer: 'int64',
  number: 'float64',
  object: 'map[string]interface {}',
};

/** `%T` of a decoded JSON value. */
export const goTypeName = (value: JsonValue | undefined): string => goTypes[jsonTypeOf(value ?? null)];

/** What encoding/json calls a value of the wrong type: `cannot unmarshal array into …`. */
export function goJsonKind(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'number';
  return value === null ? 'null' : typeof value;
}

/**
 * `%v` of int64, and of float64: the shortest notation, with an exponent of two digits below 1e-4 and from 1e6. A whole
 * number is a float64 only where it does not fit an int64.
 */
function goNumber(value: number): string {
  const magnitude = Math.abs(value);
  if (value === 0 || (Number.isInteger(value) ? magnitude < 2 ** 63 : magnitude >= 1e-4 && magnitude < 1e6))
    return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

const sortedKeys = (object: JsonObject): string[] =>
  Object.keys(object)
    .filter((key) => object[key] !== undefined)
    .sort();
