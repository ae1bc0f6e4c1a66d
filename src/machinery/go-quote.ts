/**
 * Text as Go's `%q` prints it: error messages of the API quote values this way, and clients show them verbatim.
 * @see {@link https://pkg.go.dev/strconv#Quote | strconv.Quote}
 */
const shortEscapes: Record<number, string> = { 7: '\\a', 8: '\\b', 9: '\\t', 10: '\\n', 11: '\\v', 12: '\\f', 13: '\\r', 34: '\\"', 92: '\\\\' };
const plain = /^[ !#-[\]-~]*$/;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u;

export function goQuote(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  let out = '"';
  for (const char of text) out += quoteChar(char);
  return `${out}"`;
}

function quoteChar(char: string): string {
  const code = char.codePointAt(0)!;
  const short = shortEscapes[code];
  if (short !== undefined) return short;
  if (code === 0x20 || printable.test(char)) return char;
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  if (code >= 0xd800 && code <= 0xdfff) return '\\ufffd';
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
}

const hex = (code: number, width: number): string => code.toString(16).padStart(width, '0');

/** `[]string{"a", "b"}`, and `[]string(nil)` for an absent list: Go's `%#v` of a list of texts. */
export function goStrings(values: readonly string[] | undefined): GoSyntax {
  return new GoSyntax(values === undefined ? '[]string(nil)' : `[]string{${values.map(goQuote).join(', ')}}`);
}

/** `[]byte{0x61, 0xa}` */
export const goBytes = (bytes: Uint8Array): GoSyntax => new GoSyntax(`[]byte{${[...bytes].map((byte) => `0x${byte.toString(16)}`).join(', ')}}`);

/** `map[string]string{"a":"b"}` with sorted keys. */
export function goStringMap(values: Readonly<Record<string, string>> | undefined): GoSyntax {
  if (values === undefined) return new GoSyntax('map[string]string(nil)');
  const entries = Object.keys(values).sort().map((key) => `${goQuote(key)}:${goQuote(values[key]!)}`);
  return new GoSyntax(`map[string]string{${entries.join(', ')}}`);
}

/** A value that error messages show in Go syntax (`core.ServicePort{…}`), already rendered. */
export class GoSyntax {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * A struct or a list as error messages name it: Go's type name and the value's members. Upstream dumps every Go field with
 * pointers as addresses; what is in the braces is for people only, so we show the JSON members.
 */
export function goStruct(typeName: string, value: unknown): GoSyntax {
  if (Array.isArray(value)) return new GoSyntax(`${typeName}{${value.map(shownMember).join(', ')}}`);
  const json = value === undefined || value === null ? '' : shownMember(value);
  return new GoSyntax(json.startsWith('{') || json === '' ? `${typeName}${json || '{}'}` : `${typeName}{${json}}`);
}

const shownMember = (value: unknown): string => JSON.stringify(value, (_, v: unknown) => (typeof v === 'bigint' ? Number(v) : v));

/** A time as messages show it: `2024-05-01 10:00:00 +0000 UTC`; an absent one is Go's zero time. */
export function goTime(text: string | undefined): GoSyntax {
  const zero = '0001-01-01T00:00:00Z';
  return new GoSyntax(`${(text ?? zero).replace('T', ' ').replace(/Z$/, '')} +0000 UTC`);
}
