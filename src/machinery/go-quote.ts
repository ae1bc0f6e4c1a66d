import { TruncatedText, truncateQuoted } from './truncated-text.ts';

/**
 * Text as Go's `%q` prints it: error messages of the API quote values this way, and clients show them verbatim.
 * @see {@link https://pkg.go.dev/strconv#Quote | strconv.Quote}
 */
const shortEscapes: Record<number, string> = {
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  34: '\\"',
  92: '\\\\',
};
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
export const goStrings = (values: readonly string[] | undefined): GoSyntax => goNames('[]string', values);

/** As {@link goStrings} for a list of another type, such as `[]core.IPFamily`. */
export function goNames(typeName: string, values: readonly string[] | undefined): GoSyntax {
  if (values === undefined) return new GoSyntax(`${typeName}(nil)`);
  return goList(typeName, values, quoted);
}

/** As much of a text as an error shows, in quotes. */
const quoted = (text: string): string => truncateQuoted(text, goQuote);

/** `[]byte{0x61, 0xa}` */
export const goBytes = (bytes: Uint8Array): GoSyntax => goList('[]byte', bytes, (byte) => `0x${byte.toString(16)}`);

/** `[]int32{1, 2}` */
export const goNumbers = (typeName: string, values: readonly number[] | undefined): GoSyntax =>
  values === undefined ? new GoSyntax(`${typeName}(nil)`) : goList(typeName, values, String);

/** A list whose items are shown by `show`. */
export function goList<T>(typeName: string, values: Iterable<T>, show: (value: T) => string): GoSyntax {
  const text = new TruncatedText().add(`${typeName}{`);
  return new GoSyntax(
    text
      .addAll(values, ', ', (value) => text.add(show(value)))
      .add('}')
      .toString(),
  );
}

/** `map[string]string{"a":"b"}` with sorted keys. */
export function goStringMap(values: Readonly<Record<string, string>> | undefined): GoSyntax {
  if (values === undefined) return new GoSyntax('map[string]string(nil)');
  return goList('map[string]string', Object.keys(values).sort(), (key) => `${quoted(key)}:${quoted(values[key]!)}`);
}

/** A value that error messages show in Go syntax (`core.ServicePort{…}`), already rendered. */
export class GoSyntax {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * A struct or a list as error messages name it: Go's type name and the value's members. Upstream dumps every Go field
 * with pointers as addresses; what is in the braces is for people only, so we show the JSON members.
 */
export function goStruct(typeName: string, value: unknown): GoSyntax {
  const text = new TruncatedText().add(typeName);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) addJson(text, value);
  else {
    text.add('{');
    if (Array.isArray(value)) text.addAll(value, ', ', (item) => addJson(text, item));
    else if (value !== undefined && value !== null) addJson(text, value);
    text.add('}');
  }
  return new GoSyntax(text.toString());
}

/** JSON, as much of it as an error shows. */
export function shownJson(value: unknown): string {
  const text = new TruncatedText();
  addJson(text, value);
  return text.toString();
}

function addJson(text: TruncatedText, value: unknown): void {
  if (typeof value !== 'object' || value === null) return void text.add(scalarJson(value));
  if (Array.isArray(value)) {
    text
      .add('[')
      .addAll(value as unknown[], ',', (item) => addJson(text, item))
      .add(']');
    return;
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  text
    .add('{')
    .addAll(members, ',', ([name, member]) => addJson(text.add(`${scalarJson(name)}:`), member))
    .add('}');
}

function scalarJson(value: unknown): string {
  if (typeof value === 'string') return truncateQuoted(value, (shown) => JSON.stringify(shown));
  return JSON.stringify(typeof value === 'bigint' ? Number(value) : value) ?? 'null';
}

/** A time as messages show it: `2024-05-01 10:00:00 +0000 UTC`; an absent one is Go's zero time. */
export function goTime(text: string | undefined): GoSyntax {
  const zero = '0001-01-01T00:00:00Z';
  return new GoSyntax(`${(text ?? zero).replace('T', ' ').replace(/Z$/, '')} +0000 UTC`);
}
