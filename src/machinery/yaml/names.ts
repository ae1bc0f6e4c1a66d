/** Names of anchors, tags and directives. */
import { Class, classOf, isBlankOrEnd } from './characters.ts';
import type { Cursor } from './cursor.ts';
import { scanError } from './yaml-error.ts';
import type { Token } from './tokens.ts';

/** What may come after the name of an anchor besides spaces. */
const behindAnchor = new Set([...'?:,]}%@`'].map((character) => character.charCodeAt(0)));

/** Reads an anchor or an alias, from its indicator on. */
export function scanAnchor(cursor: Cursor, token: Token): void {
  cursor.p++;
  token.text = readWord(cursor);
  if (token.text === '' || !(isBlankOrEnd(cursor.code()) || behindAnchor.has(cursor.code())))
    throw scanError('did not find expected alphabetic or numeric character', cursor.line);
}

function readWord(cursor: Cursor): string {
  const start = cursor.p;
  cursor.skipClass(Class.word);
  return cursor.text.slice(start, cursor.p);
}

/** Reads a tag: `!suffix`, `!handle!suffix`, `!<whole>` or `!` alone. */
export function scanTag(cursor: Cursor, token: Token): void {
  if (cursor.code(1) === 0x3c) {
    cursor.p += 2;
    token.suffix = readUri(cursor, '');
    if (cursor.code() !== 0x3e) throw scanError("did not find the expected '>'", cursor.line);
    cursor.p++;
  } else {
    const handle = readHandle(cursor, false);
    if (handle.length > 1 && handle.endsWith('!')) {
      token.text = handle;
      token.suffix = readUri(cursor, '');
    } else {
      token.suffix = readUri(cursor, handle.slice(1), handle);
      token.text = '!';
      // A single mark is a tag of its own, with nothing in front of it.
      if (token.suffix === '') [token.text, token.suffix] = ['', '!'];
    }
  }
  if (!isBlankOrEnd(cursor.code())) throw scanError('did not find expected whitespace or line break', cursor.line);
}

function readHandle(cursor: Cursor, inDirective: boolean): string {
  const start = cursor.p;
  if (cursor.code() !== 0x21) throw scanError("did not find expected '!'", cursor.line);
  cursor.p++;
  cursor.skipClass(Class.word);
  if (cursor.code() === 0x21) cursor.p++;
  else if (inDirective && cursor.p > start + 1) throw scanError("did not find expected '!'", cursor.line);
  return cursor.text.slice(start, cursor.p);
}

/** @param head what was read of it already; @param handle the mark before that, which alone is a tag as well */
function readUri(cursor: Cursor, head: string, handle = ''): string {
  let uri = head;
  let start = cursor.p;
  for (;;) {
    cursor.skipClass(Class.word | Class.uri);
    if (cursor.code() !== 0x25) break;
    uri += cursor.text.slice(start, cursor.p) + readOctets(cursor);
    start = cursor.p;
  }
  uri += cursor.text.slice(start, cursor.p);
  if (uri === '' && handle === '') throw scanError('did not find expected tag URI', cursor.line);
  return uri;
}

/** One character in UTF-8, its bytes as `%xx`. */
function readOctets(cursor: Cursor): string {
  const bytes: number[] = [];
  let width = 1;
  while (bytes.length < width) {
    const octet = /^%([\da-fA-F]{2})$/.exec(cursor.text.slice(cursor.p, cursor.p + 3))?.[1];
    if (octet === undefined) throw scanError('did not find URI escaped octet', cursor.line);
    const byte = parseInt(octet, 16);
    if (bytes.length === 0) {
      width =
        byte < 0x80 ? 1 : (byte & 0xe0) === 0xc0 ? 2 : (byte & 0xf0) === 0xe0 ? 3 : (byte & 0xf8) === 0xf0 ? 4 : 0;
      if (width === 0) throw scanError('found an incorrect leading UTF-8 octet', cursor.line);
    } else if ((byte & 0xc0) !== 0x80) throw scanError('found an incorrect trailing UTF-8 octet', cursor.line);
    bytes.push(byte);
    cursor.p += 3;
  }
  return Buffer.from(bytes).toString();
}

/** Reads `%YAML 1.1` or `%TAG !e! prefix` with the rest of its line, and says which of the two it is. */
export function scanDirective(cursor: Cursor): {
  readonly name: 'YAML' | 'TAG';
  readonly text: string;
  readonly suffix: string;
} {
  cursor.p++;
  const name = readWord(cursor);
  if (name === '') throw scanError('could not find expected directive name', cursor.line);
  if (!isBlankOrEnd(cursor.code())) throw scanError('found unexpected non-alphabetical character', cursor.line);
  if (name !== 'YAML' && name !== 'TAG') throw scanError('found unknown directive name', cursor.line);
  cursor.skipBlanks();
  const [text, suffix] = name === 'YAML' ? [readVersion(cursor), ''] : readTagPrefix(cursor);
  cursor.skipBlanks();
  cursor.skipComment();
  if (cursor.atBreak) cursor.readBreak();
  else if (!cursor.atEnd) throw scanError('did not find expected comment or line break', cursor.line);
  return { name, text, suffix };
}

function readVersion(cursor: Cursor): string {
  const major = readVersionNumber(cursor);
  if (cursor.code() !== 0x2e) throw scanError("did not find expected digit or '.' character", cursor.line);
  cursor.p++;
  return `${major}.${readVersionNumber(cursor)}`;
}

const maxVersionDigits = 2;

function readVersionNumber(cursor: Cursor): number {
  const start = cursor.p;
  while (cursor.code() >= 0x30 && cursor.code() <= 0x39) {
    cursor.p++;
    if (cursor.p - start > maxVersionDigits) throw scanError('found extremely long version number', cursor.line);
  }
  if (cursor.p === start) throw scanError('did not find expected version number', cursor.line);
  return Number(cursor.text.slice(start, cursor.p));
}

function readTagPrefix(cursor: Cursor): [handle: string, prefix: string] {
  const handle = readHandle(cursor, true);
  if ((classOf(cursor.code()) & Class.blank) === 0) throw scanError('did not find expected whitespace', cursor.line);
  cursor.skipBlanks();
  const prefix = readUri(cursor, '');
  if (!isBlankOrEnd(cursor.code())) throw scanError('did not find expected whitespace or line break', cursor.line);
  return [handle, prefix];
}
