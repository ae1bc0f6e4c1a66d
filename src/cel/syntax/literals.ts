/**
 * Values of literals. @see {@link https://github.com/google/cel-spec/blob/master/doc/langdef.md#string-and-bytes-values
 * | CEL language definition: string and bytes values}
 */

/** A literal that has no value, such as a number out of range. */
export class LiteralError extends Error {
  override readonly name = 'LiteralError';
}

const simple: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '"': 34,
  "'": 39,
  '\\': 92,
  '?': 63,
  '`': 96,
};
const minInt = -(2n ** 63n);
const maxInt = 2n ** 63n - 1n;
const maxUint = 2n ** 64n - 1n;

/** A number while that is exact. */
export function intLiteral(digits: string): number | bigint {
  const negative = digits.startsWith('-');
  const magnitude = BigInt(negative ? digits.slice(1) : digits);
  const value = negative ? -magnitude : magnitude;
  if (value < minInt || value > maxInt) throw new LiteralError('invalid int literal');
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

export function uintLiteral(token: string): bigint {
  const value = BigInt(token.slice(0, -1));
  if (value > maxUint) throw new LiteralError('invalid uint literal');
  return value;
}

export function doubleLiteral(token: string): number {
  const value = Number(token);
  if (!Number.isFinite(value)) throw new LiteralError('invalid double literal');
  return value;
}

/** What stands between the quotes, and whether escapes count. */
function unquote(token: string): { body: string; raw: boolean } {
  const raw = /^[rR]/.test(token);
  const quoted = raw ? token.slice(1) : token;
  const width = quoted.length >= 6 && /^("""|''')/.test(quoted) ? 3 : 1;
  return { body: quoted.slice(width, -width).replaceAll('\r\n', '\n').replaceAll('\r', '\n'), raw };
}

const escapes = /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]))/g;

export function stringLiteral(token: string): string {
  const { body, raw } = unquote(token);
  if (raw || !body.includes('\\')) return body;
  return body.replace(escapes, (_, hex?: string, short?: string, long?: string, octal?: string, char?: string) => {
    if (char !== undefined) return String.fromCharCode(simple[char]!);
    return codePoint(octal !== undefined ? parseInt(octal, 8) : parseInt((hex ?? short ?? long)!, 16));
  });
}

function codePoint(code: number): string {
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw new LiteralError('invalid unicode code point');
  return String.fromCodePoint(code);
}

/** In bytes, `\x` and octal escapes are bytes; `\u` is not there. */
export function bytesLiteral(token: string): Uint8Array {
  const { body, raw } = unquote(token.slice(1));
  if (raw || !body.includes('\\')) return Buffer.from(body, 'utf8');
  const parts: Uint8Array[] = [];
  let last = 0;
  for (const match of body.matchAll(escapes)) {
    parts.push(Buffer.from(body.slice(last, match.index), 'utf8'));
    parts.push(bytesEscape(match));
    last = match.index + match[0].length;
  }
  parts.push(Buffer.from(body.slice(last), 'utf8'));
  return Buffer.concat(parts);
}

function bytesEscape([, hex, short, long, octal, char]: RegExpMatchArray): Uint8Array {
  if (char !== undefined) return Buffer.of(simple[char]!);
  if (short !== undefined || long !== undefined) throw new LiteralError('unable to unescape string');
  return Buffer.of(octal !== undefined ? parseInt(octal, 8) : parseInt(hex!, 16));
}
