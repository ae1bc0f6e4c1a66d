/**
 * Encodes header blocks without state: with the static table and literals without indexing, without Huffman coding.
 * That costs some bytes on the wire, and hardly any CPU.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc7541 | RFC 7541}
 */
import { matchStatic } from './static-table.ts';

/** Encodes a header block. Names are lower case already. */
export function encodeHeaders(headers: ReadonlyArray<readonly [name: string, value: string]>): Buffer {
  return Buffer.from(headers.map(([name, value]) => encodeField(name, value)).join(''), 'latin1');
}

/**
 * Encodes the header block of an answer, as Latin-1 text: a character a byte, so that the caller writes it with one
 * `latin1Write`. Fields that come with every answer are encoded once.
 *
 * Throws when a name is not a token in lower case, or a value has a character that ends a line or is no byte: a proxy
 * that forwards the response as HTTP/1.1 would take the rest of the value for another field or response (RFC 9113,
 * section 8.2.1).
 */
export function encodeAnswer(status: number, fields: Iterable<readonly [name: string, value: string]>): string {
  let block = statusFields.get(status) ?? encodeStatus(status);
  for (const [name, value] of fields) block += (knownFields.get(name) ?? fieldsNamed(name)).encode(value);
  return block;
}

/**
 * Encodes the header block of a request, its pseudo-header fields first. Fields that come with every request are
 * encoded once. Throws as for answers.
 */
export function encodeRequest(fields: Iterable<readonly [name: string, value: string]>): Buffer {
  let block = '';
  for (const [name, value] of fields) block += (knownFields.get(name) ?? fieldsNamed(name)).encode(value);
  return Buffer.from(block, 'latin1');
}

const statusFields = new Map<number, string>();

function encodeStatus(status: number): string {
  if (!Number.isInteger(status) || status < 100 || status > 999)
    throw new TypeError(`no status of an answer: ${status}`);
  const text = encodeField(':status', String(status));
  statusFields.set(status, text);
  return text;
}

/** Of requests: RFC 9113, section 8.3.1. */
const pseudoHeaders: ReadonlySet<string> = new Set([':method', ':scheme', ':authority', ':path']);

const maxKnownNames = 256;
const maxKnownValues = 32;
const maxKnownValueBytes = 128;

/**
 * The fields of one name. Its beginning is the same for all of them; of its values those are remembered that came
 * first, and the latest: dates recur for a second, ids never.
 */
class FieldsNamed {
  readonly #name: string;
  readonly #prefix: string;
  readonly #known = new Map<string, string>();
  #latest: string | undefined;
  #latestText = '';

  constructor(name: string) {
    if (!pseudoHeaders.has(name) && !/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name))
      throw new TypeError(`no name of a header field: ${JSON.stringify(name)}`);
    this.#name = name;
    this.#prefix = encodeName(name);
  }

  encode(value: string): string {
    return value === this.#latest ? this.#latestText : (this.#known.get(value) ?? this.#encodeNew(value));
  }

  #encodeNew(value: string): string {
    if (/[\0\r\n\u0100-\uffff]/.test(value))
      throw new TypeError(`no value of header field ${this.#name}: ${JSON.stringify(value)}`);
    const text = this.#prefix + encodeString(value);
    if (value.length <= maxKnownValueBytes) this.#remember(value, text);
    return text;
  }

  #remember(value: string, text: string): void {
    if (this.#known.size < maxKnownValues) {
      this.#known.set(value, text);
    } else {
      this.#latest = value;
      this.#latestText = text;
    }
  }
}

const knownFields = new Map<string, FieldsNamed>();

function fieldsNamed(name: string): FieldsNamed {
  const fields = new FieldsNamed(name);
  if (knownFields.size < maxKnownNames) knownFields.set(name, fields);
  return fields;
}

/** RFC 7541, section 6, as Latin-1 text. */
function encodeField(name: string, value: string): string {
  const match = matchStatic(name, value);
  return match?.whole ? encodeInteger(match.index, 0x7f, 0x80) : encodeName(name) + encodeString(value);
}

/** The beginning of a literal without indexing. */
function encodeName(name: string): string {
  const match = matchStatic(name, '');
  return match === undefined ? `\0${encodeString(name)}` : encodeInteger(match.index, 0x0f, 0x00);
}

function encodeString(text: string): string {
  return encodeInteger(text.length, 0x7f, 0x00) + text;
}

/**
 * RFC 7541, section 5.1: an integer in the low bits of a byte, as `limit` masks them, and, if need be, the bytes after.
 */
function encodeInteger(value: number, limit: number, pattern: number): string {
  if (value < limit) return String.fromCharCode(pattern | value);
  let text = String.fromCharCode(pattern | limit);
  let rest = value - limit;
  for (; rest >= 128; rest = Math.floor(rest / 128)) text += String.fromCharCode((rest % 128) | 0x80);
  return text + String.fromCharCode(rest);
}
