/**
 * Reads JSON where `JSON.parse` is not exact enough: duplicate keys are noticed, 64-bit integers kept, maps have no
 * prototype, nesting is bounded, and syntax errors have the texts of Go's decoder.
 *
 * Without recursion: ten thousand levels, which Go accepts, would not fit on Node's stack.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8259 | RFC 8259}
 */
import { decodeUtf8Replacing } from '../bytes/utf8.ts';
import type { JsonObject, JsonValue } from '../value.ts';
import { createMap } from '../value.ts';
import { JsonSyntaxError } from './json-error.ts';
import { maxNesting } from './inspect.ts';
import { JsonNumber, numberOf } from './number.ts';
import { quoteCharacter } from './quote-character.ts';

/**
 * The maximum depth of a value without a type. Such values are walked by recursion (patches, field sets, comparisons),
 * and running out of stack can end the process.
 * @NOTE differs from upstream: Go's stacks grow, so values of ten thousand levels can be patched there.
 */
export const maxValueDepth = 500;

export interface JsonDocument {
  readonly text: string;
  readonly value: JsonValue;
  /** All members in order of those objects that have a key twice (the object itself has the last ones). */
  readonly repeated: ReadonlyMap<object, readonly (readonly [key: string, value: JsonValue])[]> | undefined;
  /** Where in the text each object and list begins, when asked for; {@link textOfContainer} finds the end. */
  readonly starts: ReadonlyMap<object, number> | undefined;
}

export interface JsonReadOptions {
  /** Keep numbers with fraction, exponent or many digits as {@link JsonNumber}. */
  readonly keepNumbers?: boolean;
  /** Remember {@link JsonDocument.starts}. */
  readonly keepStarts?: boolean;
  /** Levels of nesting; ten thousand when absent. */
  readonly maxDepth?: number;
}

/** Bytes as text, each byte that is no UTF-8 as U+FFFD. */
export function jsonText(input: Uint8Array | string): string {
  if (typeof input === 'string') return input;
  const bytes = Buffer.isBuffer(input) ? input : Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  return decodeUtf8Replacing(bytes, 0, bytes.length);
}

/**
 * The value alone, duplicate keys resolved to the last one, no deeper than {@link maxValueDepth}. Throws {@link
 * JsonSyntaxError}.
 */
export function parseJson(input: Uint8Array | string): JsonValue {
  return readJson(input, { maxDepth: maxValueDepth }).value;
}

/** Throws {@link JsonSyntaxError}, and {@link JsonTypeError} for a number that no float64 holds. */
export function readJson(input: Uint8Array | string, options: JsonReadOptions = {}): JsonDocument {
  const text = jsonText(input);
  try {
    return new Reader(text, options).read();
  } catch (error) {
    // Go names the first byte that is wrong, also one that is no UTF-8.
    if (error instanceof JsonSyntaxError && typeof input !== 'string' && text.includes('\ufffd'))
      new Reader(Buffer.from(input).toString('latin1'), options, true).read();
    throw error;
  }
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

type Container = JsonObject | JsonValue[];

class Reader {
  readonly #text: string;
  readonly #options: JsonReadOptions;
  readonly #bytewise: boolean;
  #position = 0;
  #typeError: Error | undefined;
  readonly #containers: Container[] = [];
  readonly #keys: string[] = [];
  #repeated: Map<object, [string, JsonValue][]> | undefined;
  readonly #starts: Map<object, number> | undefined;

  /** @param bytewise every character stands for a byte */
  constructor(text: string, options: JsonReadOptions, bytewise = false) {
    this.#text = text;
    this.#options = options;
    this.#bytewise = bytewise;
    this.#starts = options.keepStarts === true ? new Map() : undefined;
  }

  read(): JsonDocument {
    let value = this.#readOrOpen();
    for (;;) {
      if (value === undefined) {
        value = this.#readOrOpen();
        continue;
      }
      if (this.#containers.length === 0) break;
      value = this.#attach(value);
    }
    if (this.#skipSpace() < this.#text.length) throw this.#unexpected('after top-level value');
    if (this.#typeError !== undefined) throw this.#typeError;
    return { text: this.#text, value, repeated: this.#repeated, starts: this.#starts };
  }

  /**
   * A scalar or an empty container; undefined after the beginning of one with content, whose first value comes next.
   */
  #readOrOpen(): JsonValue | undefined {
    const code = this.#text.charCodeAt(this.#skipSpace());
    switch (code) {
      case 0x7b:
        return this.#openObject();
      case 0x5b:
        return this.#openArray();
      case 0x22:
        return this.#readString();
      case 0x74:
        return this.#readLiteral('true', true);
      case 0x66:
        return this.#readLiteral('false', false);
      case 0x6e:
        return this.#readLiteral('null', null);
      default:
        return this.#readNumber(code);
    }
  }

  #openObject(): JsonValue | undefined {
    const object = createMap<JsonValue>();
    this.#open(object);
    if (this.#text.charCodeAt(this.#skipSpace()) === 0x7d) return this.#close();
    this.#readKey();
    return undefined;
  }

  #openArray(): JsonValue | undefined {
    this.#open([]);
    return this.#text.charCodeAt(this.#skipSpace()) === 0x5d ? this.#close() : undefined;
  }

  #open(container: Container): void {
    if (this.#containers.length >= (this.#options.maxDepth ?? maxNesting)) throw this.#unexpected('exceeded max depth');
    this.#containers.push(container);
    this.#keys.push('');
    this.#starts?.set(container, this.#position);
    this.#position++;
  }

  #close(): JsonValue {
    this.#position++;
    const container = this.#containers.pop()!;
    this.#keys.pop();
    return container;
  }

  /** Puts a value where it belongs; returns the container when that ends with it. */
  #attach(value: JsonValue): JsonValue | undefined {
    const container = this.#containers[this.#containers.length - 1]!;
    const isArray = Array.isArray(container);
    if (isArray) container.push(value);
    else this.#setMember(container, this.#keys[this.#keys.length - 1]!, value);
    const code = this.#text.charCodeAt(this.#skipSpace());
    if (code === (isArray ? 0x5d : 0x7d)) return this.#close();
    if (code !== 0x2c) throw this.#unexpected(isArray ? 'after array element' : 'after object key:value pair');
    this.#position++;
    if (!isArray) this.#readKey();
    return undefined;
  }

  #setMember(object: JsonObject, key: string, value: JsonValue): void {
    const repeated = this.#repeated?.get(object);
    if (repeated !== undefined) repeated.push([key, value]);
    else if (object[key] !== undefined) {
      this.#repeated ??= new Map();
      this.#repeated.set(object, [...(Object.entries(object) as [string, JsonValue][]), [key, value]]);
    }
    object[key] = value;
  }

  #readKey(): void {
    if (this.#text.charCodeAt(this.#skipSpace()) !== 0x22)
      throw this.#unexpected('looking for beginning of object key string');
    this.#keys[this.#keys.length - 1] = this.#readString();
    if (this.#text.charCodeAt(this.#skipSpace()) !== 0x3a) throw this.#unexpected('after object key');
    this.#position++;
  }

  #skipSpace(): number {
    while (isSpace(this.#text.charCodeAt(this.#position))) this.#position++;
    return this.#position;
  }

  #readLiteral<T extends JsonValue>(word: string, value: T): T {
    const text = this.#text;
    for (let i = 1; i < word.length; i++) {
      if (text.charCodeAt(this.#position + i) === word.charCodeAt(i)) continue;
      this.#position += i;
      throw this.#unexpected(`in literal ${word} (expecting '${word[i]}')`, true);
    }
    this.#position += word.length;
    return value;
  }

  #readString(): string {
    const text = this.#text;
    const start = this.#position + 1;
    let i = start;
    for (;;) {
      const code = text.charCodeAt(i);
      if (code === 0x22) break;
      if (code === 0x5c) return this.#readEscapedString(start, i);
      if (!(code >= 0x20)) {
        this.#position = i;
        throw this.#unexpected('in string literal');
      }
      i++;
    }
    this.#position = i + 1;
    return text.slice(start, i);
  }

  #readEscapedString(start: number, firstEscape: number): string {
    const text = this.#text;
    let out = '';
    let plain = start;
    this.#position = firstEscape;
    for (;;) {
      const code = text.charCodeAt(this.#position);
      if (code === 0x22) break;
      if (code === 0x5c) {
        out += text.slice(plain, this.#position) + this.#readEscape();
        plain = this.#position;
      } else if (!(code >= 0x20)) throw this.#unexpected('in string literal');
      else this.#position++;
    }
    out += text.slice(plain, this.#position++);
    return out.isWellFormed() ? out : out.replace(loneSurrogates, '\ufffd');
  }

  #readEscape(): string {
    const code = this.#text.charCodeAt(++this.#position);
    if (code === 0x75) return this.#readUnicodeEscape();
    const character = escapes.get(code);
    if (character === undefined) throw this.#unexpected('in string escape code', true);
    this.#position++;
    return character;
  }

  #readUnicodeEscape(): string {
    for (let i = 1; i <= 4; i++) {
      this.#position++;
      if (!isHex(this.#text.charCodeAt(this.#position)))
        throw this.#unexpected('in \\u hexadecimal character escape', true);
    }
    this.#position++;
    return String.fromCharCode(parseInt(this.#text.slice(this.#position - 4, this.#position), 16));
  }

  #readNumber(first: number): JsonValue {
    const text = this.#text;
    const start = this.#position;
    if (first === 0x2d) first = text.charCodeAt(++this.#position);
    else if (!isDigit(first)) throw this.#unexpected('looking for beginning of value');
    if (!isDigit(first)) throw this.#unexpected('in numeric literal', true);
    this.#position++;
    if (first !== 0x30) this.#skipDigits();
    let integer = true;
    if (text.charCodeAt(this.#position) === 0x2e) {
      integer = false;
      this.#position++;
      this.#needDigits('after decimal point in numeric literal');
    }
    if ((text.charCodeAt(this.#position) | 0x20) === 0x65) {
      integer = false;
      const sign = text.charCodeAt(++this.#position);
      if (sign === 0x2b || sign === 0x2d) this.#position++;
      this.#needDigits('in exponent of numeric literal');
    }
    const literal = text.slice(start, this.#position);
    if (integer && literal.length <= 15) return Number(literal) || 0;
    return this.#options.keepNumbers === true
      ? (new JsonNumber(literal) as unknown as JsonObject)
      : this.#untyped(literal);
  }

  #untyped(literal: string): JsonValue {
    try {
      return numberOf(literal);
    } catch (error) {
      // What is wrong with the text comes first.
      this.#typeError ??= error as Error;
      return 0;
    }
  }

  #skipDigits(): void {
    while (isDigit(this.#text.charCodeAt(this.#position))) this.#position++;
  }

  #needDigits(where: string): void {
    if (!isDigit(this.#text.charCodeAt(this.#position))) throw this.#unexpected(where, true);
    this.#skipDigits();
  }

  /**
   * Go's scanner sees a space where the text ends; where that is wrong too (`spaceIsWrong`), its error names the space.
   */
  #unexpected(context: string, spaceIsWrong = false): JsonSyntaxError {
    if (this.#position >= this.#text.length && !spaceIsWrong)
      return new JsonSyntaxError('unexpected end of JSON input');
    return new JsonSyntaxError(
      `invalid character ${quoteCharacter(this.#text, this.#position, this.#bytewise)} ${context}`,
    );
  }
}

const escapes = new Map([
  [0x22, '"'],
  [0x5c, '\\'],
  [0x2f, '/'],
  [0x62, '\b'],
  [0x66, '\f'],
  [0x6e, '\n'],
  [0x72, '\r'],
  [0x74, '\t'],
]);

const loneSurrogates = /\p{Surrogate}/gu;

function isHex(code: number): boolean {
  return isDigit(code) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);
}
