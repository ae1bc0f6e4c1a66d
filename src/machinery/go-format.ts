/**
 * JSON values as Go's fmt package prints them (`%v`, `%#v`, `%T`): some errors of the API show a value this way, and
 * clients see the text.
 * @see {@link https://pkg.go.dev/fmt | package fmt}
 */
import { goQuote } from './go-quote.ts';
import { isObject, type JsonObject, type JsonValue } from './value.ts';

/** `%v`: `map[a:1 b:[x y]]`, keys sorted, texts bare. */
export function goValue(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'number') return goNumber(value);
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`;
  if (isObject(value)) return `map[${sortedKeys(value).map((key) => `${key}:${goValue(value[key])}`).join(' ')}]`;
  return String(value);
}

/** `%#v`: `map[string]interface {}{"a":1}`. */
export function goSyntax(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number') return goNumber(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (isObject(value)) return `map[string]interface {}{${sortedKeys(value).map((key) => `${goQuote(key)}:${goSyntax(value[key])}`).join(', ')}}`;
  return String(value);
}

/** `%T` of a decoded JSON value; nil is what `%s` makes of a missing type. */
export function goTypeName(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '%!s(<nil>)';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'string': return 'string';
    case 'boolean': return 'bool';
    case 'bigint': return 'int64';
    case 'number': return Number.isInteger(value) ? 'int64' : 'float64';
    default: return 'map[string]interface {}';
  }
}

/** What encoding/json calls a value of the wrong type: `cannot unmarshal array into …`. */
export function goJsonKind(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'number';
  return value === null ? 'null' : typeof value;
}

/** Shortest form, with an exponent of two digits below 1e-4 and from 1e21: `%v` of int64 and float64. */
function goNumber(value: number): string {
  const magnitude = Math.abs(value);
  if (value === 0 || (magnitude >= 1e-4 && magnitude < 1e21)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

const sortedKeys = (object: JsonObject): string[] => Object.keys(object).filter((key) => object[key] !== undefined).sort();
