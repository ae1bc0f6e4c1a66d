/**
 * Writes values as YAML the way upstream's answers look: block style, keys in natural order, lists not indented, texts
 * quoted where YAML 1.1 would read them as something else, long lines folded at spaces behind column 80.
 *
 * The rules for quoting and folding are those of libyaml's emitter, by which go-yaml writes.
 * @see {@link https://yaml.org/spec/1.1/ | YAML 1.1}
 */
import type { JsonObject, JsonValue } from '../value.ts';
import { isObject, RawJson } from '../value.ts';
import { maxValueDepth, readJson } from './reader.ts';
import { stringifyJson } from './writer.ts';
import { analyzeText, isBreak, isPrintable } from './yaml-text.ts';
import { isBase60, resolveScalar } from '../yaml/scalars.ts';

/** The value as a YAML document, with the line break at its end. Members that are undefined are left out. */
export function writeYaml(value: JsonValue | object): string {
  const writer = new YamlWriter();
  writer.document(value as JsonValue);
  return writer.text();
}

/** A JSON text as a YAML document. */
export function jsonToYaml(json: Uint8Array): Buffer {
  return Buffer.from(writeYaml(readJson(json).value));
}

type Style = 'plain' | 'single' | 'double' | 'literal';

const foldColumn = 80;
const indentWidth = 2;
const maxSimpleKey = 128;
class YamlWriter {
  readonly #parts: string[] = [];
  #column = 0;
  #indent = -1;
  /** The last thing written allows content on the same line. */
  #whitespace = true;
  /** Nothing but indentation and indicators are on the line. */
  #indention = true;
  #depth = 0;

  text(): string {
    return this.#parts.join('');
  }

  document(value: JsonValue): void {
    this.#node(value, false);
    this.#indent = 0;
    this.#writeIndent();
  }

  /** @param inMapping a list here is not indented */
  #node(value: JsonValue | undefined, inMapping: boolean): void {
    if (value instanceof RawJson) return this.#node(readJson(value.text).value, inMapping);
    // What is deeper is written as JSON, which is YAML too: blocks nest by recursion, and their indentation grows
    // without end.
    if (++this.#depth > maxValueDepth && typeof value === 'object' && value !== null)
      this.#plainWord(stringifyJson(value));
    else if (Array.isArray(value)) this.#list(value, inMapping);
    else if (isObject(value)) this.#mapping(value);
    else if (typeof value === 'string') this.#scalar(value, styleOf(value, false), false);
    else this.#plainWord(wordOf(value));
    this.#depth--;
  }

  #list(items: readonly JsonValue[], inMapping: boolean): void {
    if (items.length === 0) {
      this.#indicator('[]', true, false, false);
      return;
    }
    const indent = this.#indent;
    this.#increaseIndent(inMapping && !this.#indention);
    for (const item of items) {
      this.#writeIndent();
      this.#indicator('-', true, false, true);
      this.#node(item, false);
    }
    this.#indent = indent;
  }

  #mapping(object: JsonObject): void {
    const keys = Object.keys(object)
      .filter((key) => object[key] !== undefined)
      .sort(compareKeys);
    if (keys.length === 0) {
      this.#indicator('{}', true, false, false);
      return;
    }
    const indent = this.#indent;
    this.#increaseIndent(false);
    for (const key of keys) {
      this.#writeIndent();
      this.#key(key);
      this.#node(object[key], true);
    }
    this.#indent = indent;
  }

  #key(key: string): void {
    const isSimple = Buffer.byteLength(key) <= maxSimpleKey && !analyzeText(key).multiline;
    if (!isSimple) this.#indicator('?', true, false, true);
    this.#scalar(key, styleOf(key, isSimple), isSimple);
    if (!isSimple) this.#writeIndent();
    this.#indicator(':', !isSimple, false, !isSimple);
  }

  #scalar(text: string, style: Style, isKey: boolean): void {
    const indent = this.#indent;
    this.#indent = indent < 0 ? indentWidth : indent + indentWidth;
    switch (style) {
      case 'plain':
        this.#plain(text, !isKey);
        break;
      case 'single':
        this.#single(text, !isKey);
        break;
      case 'double':
        this.#double(text, !isKey);
        break;
      case 'literal':
        this.#literal(text);
    }
    this.#indent = indent;
  }

  #plainWord(word: string): void {
    this.#plain(word, false);
  }

  #plain(text: string, mayFold: boolean): void {
    if (!this.#whitespace && text !== '') this.#put(' ');
    this.#folded(
      text,
      mayFold,
      () => true,
      (char) => char,
    );
  }

  #single(text: string, mayFold: boolean): void {
    this.#indicator("'", true, false, false);
    this.#folded(
      text,
      mayFold,
      (i) => i > 0 && i < text.length - 1,
      (char) => (char === "'" ? "''" : char),
    );
    this.#indicator("'", false, false, false);
  }

  /** Text whose lines may end at single spaces. */
  #folded(text: string, mayFold: boolean, isInside: (i: number) => boolean, write: (char: string) => string): void {
    let afterSpace = false;
    let afterBreak = false;
    for (let i = 0; i < text.length; ) {
      const char = String.fromCodePoint(text.codePointAt(i)!);
      if (char === ' ') {
        if (mayFold && !afterSpace && this.#column > foldColumn && isInside(i) && text[i + 1] !== ' ')
          this.#writeIndent();
        else this.#put(char);
        afterSpace = true;
      } else if (isBreak(char)) {
        if (!afterBreak && char === '\n') this.#lineBreak('\n');
        this.#lineBreak(char);
        this.#indention = true;
        afterBreak = true;
      } else {
        if (afterBreak) this.#writeIndent();
        this.#put(write(char));
        this.#indention = false;
        afterSpace = false;
        afterBreak = false;
      }
      i += char.length;
    }
    this.#whitespace = false;
    this.#indention = false;
  }

  #double(text: string, mayFold: boolean): void {
    this.#indicator('"', true, false, false);
    let afterSpace = false;
    for (let i = 0; i < text.length; ) {
      const char = String.fromCodePoint(text.codePointAt(i)!);
      if (char === ' ' && mayFold && !afterSpace && this.#column > foldColumn && i > 0 && i < text.length - 1) {
        this.#writeIndent();
        if (text[i + 1] === ' ') this.#put('\\');
      } else this.#put(escapeCharacter(char));
      afterSpace = char === ' ';
      i += char.length;
    }
    this.#indicator('"', false, false, false);
  }

  #literal(text: string): void {
    this.#indicator('|', true, false, false);
    if (text[0] === ' ' || isBreak(text[0]!)) this.#put(String(indentWidth));
    this.#put(chompingOf(text));
    this.#lineBreak('\n');
    this.#indention = true;
    this.#whitespace = true;
    let afterBreak = true;
    for (const char of text) {
      if (isBreak(char)) {
        this.#lineBreak(char);
        this.#indention = true;
        afterBreak = true;
        continue;
      }
      if (afterBreak) this.#writeIndent();
      this.#put(char);
      this.#indention = false;
      afterBreak = false;
    }
  }

  #increaseIndent(keep: boolean): void {
    if (this.#indent < 0) this.#indent = 0;
    else if (!keep) this.#indent += indentWidth;
  }

  #indicator(text: string, needsSpace: boolean, isWhitespace: boolean, isIndention: boolean): void {
    if (needsSpace && !this.#whitespace) this.#put(' ');
    this.#put(text);
    this.#whitespace = isWhitespace;
    this.#indention = this.#indention && isIndention;
  }

  #writeIndent(): void {
    const indent = Math.max(this.#indent, 0);
    if (!this.#indention || this.#column > indent || (this.#column === indent && !this.#whitespace))
      this.#lineBreak('\n');
    if (this.#column < indent) this.#put(' '.repeat(indent - this.#column));
    this.#whitespace = true;
    this.#indention = true;
  }

  #lineBreak(char: string): void {
    this.#parts.push(char);
    this.#column = 0;
  }

  #put(text: string): void {
    if (text === '') return;
    this.#parts.push(text);
    // Characters count once, whatever they take in UTF-16.
    this.#column += text.length === 1 ? 1 : [...text].length;
  }
}

/** How a text is written so that it is read back as that text. */
function styleOf(text: string, isSimpleKey: boolean): Style {
  const analysis = analyzeText(text);
  if (text.includes('\n')) return analysis.literal && !isSimpleKey ? 'literal' : 'double';
  const isText = resolveScalar(text).tag === 'str' && !isBase60(text);
  if (!isText) return 'double';
  if (analysis.plain) return 'plain';
  return analysis.single ? 'single' : 'double';
}

function wordOf(value: number | bigint | boolean | null | undefined): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value !== 'number' || Number.isInteger(value))
    return Math.abs(Number(value)) >= 1e21 ? exponential(Number(value)) : String(value);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf';
  const magnitude = Math.abs(value);
  return magnitude < 1e-4 || magnitude >= 1e6 ? exponential(value) : String(value);
}

/** Go's exponent has two digits at least. */
const exponential = (value: number): string => value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');

/** What becomes of the line breaks at the end of a literal text. */
function chompingOf(text: string): string {
  if (!isBreak(text[text.length - 1]!)) return '-';
  return text.length === 1 || isBreak(text[text.length - 2]!) ? '+' : '';
}

const shortEscapes = new Map([
  ['\0', '0'],
  ['\x07', 'a'],
  ['\b', 'b'],
  ['\t', 't'],
  ['\n', 'n'],
  ['\v', 'v'],
  ['\f', 'f'],
  ['\r', 'r'],
  ['\x1b', 'e'],
  ['"', '"'],
  ['\\', '\\'],
  ['\x85', 'N'],
  ['\xa0', '_'],
  ['\u2028', 'L'],
  ['\u2029', 'P'],
]);

function escapeCharacter(char: string): string {
  if (isPrintable(char) && !isBreak(char) && char !== '"' && char !== '\\') return char;
  const short = shortEscapes.get(char);
  if (short !== undefined) return `\\${short}`;
  const code = char.codePointAt(0)!.toString(16).toUpperCase();
  return code.length <= 2
    ? `\\x${code.padStart(2, '0')}`
    : code.length <= 4
      ? `\\u${code.padStart(4, '0')}`
      : `\\U${code.padStart(8, '0')}`;
}

const isLetter = (char: string): boolean => /\p{L}/u.test(char);
const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9';

/** Natural order as go-yaml has it: digits by their number, letters behind other characters. */
export function compareKeys(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (let i = 0; i < left.length && i < right.length; i++) {
    const [x, y] = [left[i]!, right[i]!];
    if (x === y) continue;
    const [xLetter, yLetter] = [isLetter(x), isLetter(y)];
    if (xLetter && yLetter) return x.codePointAt(0)! - y.codePointAt(0)!;
    if (xLetter || yLetter) return yLetter ? -1 : 1;
    return compareNumbers(left, right, i);
  }
  return left.length - right.length;
}

function compareNumbers(left: readonly string[], right: readonly string[], at: number): number {
  let [x, y] = [0, 0];
  // A zero counts as a digit of the number that began before it.
  if (left[at] === '0' || right[at] === '0') for (let j = at - 1; isDigit(left[j]); j--) if (left[j] !== '0') x = y = 1;
  let [i, j] = [at, at];
  for (; isDigit(left[i]); i++) x = x * 10 + Number(left[i]);
  for (; isDigit(right[j]); j++) y = y * 10 + Number(right[j]);
  return x - y || i - j || left[at]!.codePointAt(0)! - right[at]!.codePointAt(0)!;
}
