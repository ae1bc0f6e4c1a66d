/**
 * Text → tokens of YAML 1.1, as go-yaml and libyaml tell them apart: indentation becomes tokens that open and close
 * block collections, and a colon makes what stands before it on its line a key.
 *
 * Reads no further than the grammar needs. The work per character is bounded: a token waits for a colon along one line
 * and 1024 characters at most, and there is one such token per open flow collection.
 *
 * @see {@link https://yaml.org/spec/1.1/ | YAML 1.1}
 */
import { scanBlock } from './block.ts';
import { Class, classOf, isBlankOrEnd } from './characters.ts';
import { Cursor } from './cursor.ts';
import { scanError } from './yaml-error.ts';
import { scanAnchor, scanDirective, scanTag } from './names.ts';
import { scanPlain } from './plain.ts';
import { scanQuoted } from './quoted.ts';
import { Kind, type Place, Token } from './tokens.ts';

/** Flow collections in each other, and block collections: more of either are refused, as upstream. */
export const maxDepth = 10_000;
const tooDeep = `exceeded max depth of ${maxDepth}`;

/** How far a key may be from its colon, in characters (YAML 1.1, section 9.1.3). */
const maxKeyLength = 1024;

/** Tokens that were taken are dropped in blocks of this many. */
const dropCount = 1024;

export class Scanner {
  readonly #cursor: Cursor;
  readonly #tokens: Token[] = [];
  #head = 0;
  /** Column of the innermost block collection, -1 when there is none. */
  #indent = -1;
  readonly #indents: number[] = [];
  /** For each open flow collection, and for what is around them, the token that may still become a key. */
  readonly #keys: (Token | undefined)[] = [undefined];
  #keyAllowed = true;
  #ended = false;

  constructor(text: string) {
    this.#cursor = new Cursor(text);
    if (this.#cursor.code() === 0xfeff) this.#cursor.lineStart = ++this.#cursor.p;
  }

  /** Characters that were read so far: a measure of the work done. */
  get position(): number {
    return this.#cursor.p;
  }

  /** The next token; it stays the next one until it is taken. */
  peek(): Token {
    while (this.#head === this.#tokens.length || this.#mayBecomeKey(this.#tokens[this.#head]!)) this.#fetch();
    return this.#tokens[this.#head]!;
  }

  take(): void {
    this.#head++;
    if (this.#head < this.#tokens.length && this.#head < dropCount) return;
    this.#tokens.splice(0, this.#head);
    this.#head = 0;
  }

  get #inFlow(): boolean {
    return this.#keys.length > 1;
  }

  #mayBecomeKey(token: Token): boolean {
    if (!token.pending) return false;
    if (token.line === this.#cursor.line && !this.#isFar(token)) return true;
    if (token.required) throw this.#keyExpected();
    token.pending = false;
    return false;
  }

  #isFar({ p }: Token): boolean {
    const cursor = this.#cursor;
    if (cursor.p - p <= maxKeyLength) return false;
    // The distance is one in characters, of which some are two units of UTF-16.
    return cursor.p - p > 2 * maxKeyLength || [...cursor.text.slice(p, cursor.p)].length > maxKeyLength;
  }

  #keyExpected = (): Error => scanError("could not find expected ':'", this.#cursor.line);

  #add(kind: Kind, place: Place = this.#cursor): Token {
    const token = new Token(kind, place);
    this.#tokens.push(token);
    return token;
  }

  /** A token that a colon may turn into a key. */
  #addPossibleKey(kind: Kind): Token {
    const cursor = this.#cursor;
    const keys = this.#keys;
    if (!this.#keyAllowed) return this.#add(kind);
    this.#dropKey();
    const token = this.#add(kind);
    token.pending = true;
    token.required = !this.#inFlow && this.#indent === cursor.column;
    keys[keys.length - 1] = token;
    return token;
  }

  /** What stands before the next token is no key. */
  #dropKey(): void {
    const token = this.#keys[this.#keys.length - 1];
    if (token?.pending !== true) return;
    if (token.required) throw this.#keyExpected();
    token.pending = false;
  }

  /** Opens a block collection where the text stands further right than the one around it. */
  #indentTo(column: number): boolean {
    if (this.#inFlow || this.#indent >= column) return false;
    if (this.#indents.length >= maxDepth) throw scanError(tooDeep, this.#cursor.line);
    this.#indents.push(this.#indent);
    this.#indent = column;
    return true;
  }

  /** Closes the block collections that stand further right. */
  #outdentTo(column: number): void {
    if (this.#inFlow) return;
    while (this.#indent > column) {
      this.#add(Kind.blockEnd);
      this.#indent = this.#indents.pop()!;
    }
  }

  #fetch(): void {
    const cursor = this.#cursor;
    if (this.#ended) {
      this.#add(Kind.streamEnd);
      return;
    }
    this.#skipToToken();
    this.#outdentTo(cursor.column);
    if (cursor.atEnd) this.#fetchEnd();
    else if (cursor.column === 0 && cursor.code() === 0x25) this.#fetchDirective();
    else if (cursor.atDocumentIndicator()) this.#fetchDocumentIndicator();
    else this.#fetchInDocument(cursor.code());
  }

  #skipToToken(): void {
    const cursor = this.#cursor;
    for (;;) {
      // A tab is no indentation: where a key may begin it is a mistake.
      while (cursor.code() === 0x20 || (cursor.code() === 0x09 && (this.#inFlow || !this.#keyAllowed))) cursor.p++;
      cursor.skipComment();
      if (!cursor.atBreak) return;
      cursor.readBreak();
      if (!this.#inFlow) this.#keyAllowed = true;
    }
  }

  #fetchEnd(): void {
    const cursor = this.#cursor;
    if (cursor.column > 0) {
      cursor.lineStart = cursor.p;
      cursor.line++;
    }
    this.#outdentTo(-1);
    this.#dropKey();
    this.#ended = true;
    this.#add(Kind.streamEnd);
  }

  #fetchDirective(): void {
    this.#outdentTo(-1);
    this.#dropKey();
    this.#keyAllowed = false;
    const { p, line, column } = this.#cursor;
    const { name, text, suffix } = scanDirective(this.#cursor);
    const token = this.#add(name === 'YAML' ? Kind.versionDirective : Kind.tagDirective, { p, line, column });
    token.text = text;
    token.suffix = suffix;
  }

  #fetchDocumentIndicator(): void {
    this.#outdentTo(-1);
    this.#dropKey();
    this.#keyAllowed = false;
    this.#add(this.#cursor.code() === 0x2d ? Kind.documentStart : Kind.documentEnd);
    this.#cursor.p += 3;
  }

  #fetchInDocument(code: number): void {
    const isIndicator = isBlankOrEnd(this.#cursor.code(1));
    switch (code) {
      case 0x5b:
        return this.#openFlow(Kind.flowSequenceStart);
      case 0x7b:
        return this.#openFlow(Kind.flowMappingStart);
      case 0x5d:
        return this.#closeFlow(Kind.flowSequenceEnd);
      case 0x7d:
        return this.#closeFlow(Kind.flowMappingEnd);
      case 0x2c:
        return this.#fetchFlowEntry();
      case 0x2a:
        return this.#fetchAnchor(Kind.alias);
      case 0x26:
        return this.#fetchAnchor(Kind.anchor);
      case 0x21:
        return this.#fetchTag();
      case 0x22:
      case 0x27:
        return this.#fetchQuoted(code);
      case 0x2d:
        if (isIndicator) return this.#fetchBlockEntry();
        break;
      case 0x3f:
        if (isIndicator || this.#inFlow) return this.#fetchKey();
        break;
      case 0x3a:
        if (isIndicator || this.#inFlow) return this.#fetchValue();
        break;
      case 0x7c:
      case 0x3e:
        if (!this.#inFlow) return this.#fetchBlock();
        break;
      default:
    }
    this.#fetchPlain(code);
  }

  #openFlow(kind: Kind): void {
    this.#addPossibleKey(kind);
    if (this.#keys.length > maxDepth) throw scanError(tooDeep, this.#cursor.line);
    this.#keys.push(undefined);
    this.#keyAllowed = true;
    this.#cursor.p++;
  }

  #closeFlow(kind: Kind): void {
    this.#dropKey();
    if (this.#inFlow) this.#keys.pop();
    this.#keyAllowed = false;
    this.#add(kind);
    this.#cursor.p++;
  }

  #fetchFlowEntry(): void {
    this.#dropKey();
    this.#keyAllowed = true;
    this.#add(Kind.flowEntry);
    this.#cursor.p++;
  }

  #fetchBlockEntry(): void {
    const cursor = this.#cursor;
    if (!this.#inFlow) {
      if (!this.#keyAllowed) throw scanError('block sequence entries are not allowed in this context', cursor.line);
      if (this.#indentTo(cursor.column)) this.#add(Kind.blockSequenceStart);
    }
    this.#dropKey();
    this.#keyAllowed = true;
    this.#add(Kind.blockEntry);
    cursor.p++;
  }

  #fetchKey(): void {
    const cursor = this.#cursor;
    if (!this.#inFlow) {
      if (!this.#keyAllowed) throw scanError('mapping keys are not allowed in this context', cursor.line);
      if (this.#indentTo(cursor.column)) this.#add(Kind.blockMappingStart);
    }
    this.#dropKey();
    this.#keyAllowed = !this.#inFlow;
    this.#add(Kind.key);
    cursor.p++;
  }

  #fetchValue(): void {
    const cursor = this.#cursor;
    const keys = this.#keys;
    const key = keys[keys.length - 1];
    if (key !== undefined && this.#mayBecomeKey(key)) {
      key.opensMapping = this.#indentTo(key.column);
      key.isKey = true;
      key.pending = false;
      this.#keyAllowed = false;
    } else {
      if (!this.#inFlow) {
        if (!this.#keyAllowed) throw scanError('mapping values are not allowed in this context', cursor.line);
        if (this.#indentTo(cursor.column)) this.#add(Kind.blockMappingStart);
      }
      this.#keyAllowed = !this.#inFlow;
    }
    this.#add(Kind.value);
    cursor.p++;
  }

  #fetchAnchor(kind: Kind): void {
    const token = this.#addPossibleKey(kind);
    this.#keyAllowed = false;
    scanAnchor(this.#cursor, token);
  }

  #fetchTag(): void {
    const token = this.#addPossibleKey(Kind.tag);
    this.#keyAllowed = false;
    scanTag(this.#cursor, token);
  }

  #fetchQuoted(quote: 0x22 | 0x27): void {
    const token = this.#addPossibleKey(Kind.quoted);
    this.#keyAllowed = false;
    this.#cursor.p++;
    token.text = scanQuoted(this.#cursor, quote);
  }

  #fetchBlock(): void {
    this.#dropKey();
    this.#keyAllowed = true;
    const token = this.#add(Kind.block);
    token.text = scanBlock(this.#cursor, this.#indent);
  }

  #fetchPlain(code: number): void {
    const cursor = this.#cursor;
    const beginsPlain =
      code === 0x2d ? (classOf(cursor.code(1)) & Class.blank) === 0 : !this.#inFlow && (code === 0x3f || code === 0x3a);
    if (!beginsPlain && (classOf(code) & (Class.indicator | Class.blank)) !== 0)
      throw scanError('found character that cannot start any token', cursor.line);
    const token = this.#addPossibleKey(Kind.plain);
    this.#keyAllowed = false;
    const { text, endsLine } = scanPlain(cursor, this.#inFlow, this.#indent + 1);
    token.text = text;
    if (endsLine) this.#keyAllowed = true;
  }
}
