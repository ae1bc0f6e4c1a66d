/**
 * Tokens → the value of the first document, in one pass and without recursion: an open collection is a frame on a
 * stack, and a finished node is put into the innermost one.
 *
 * Accepts what go-yaml (v2) accepts, which is libyaml's grammar, with go-yaml's error messages.
 */
import { maxContainers, tooManyContainers } from '../codec/size-limits.ts';
import type { JsonValue } from '../value.ts';
import { grammarError, YamlError } from './yaml-error.ts';
import { createFrame, type Frame } from './frame.ts';
import { Scanner } from './scanner.ts';
import { Kind, type Token } from './tokens.ts';
import { type Node, type Start, Values } from './values.ts';

interface Properties {
  readonly anchor: string;
  readonly tag: string;
  /** Where the first of them, or else the node, begins. */
  readonly line: number;
}

const standardTags = new Map([
  ['!', '!'],
  ['!!', 'tag:yaml.org,2002:'],
]);

export interface YamlDocument {
  readonly value: JsonValue;
  /** `line 2: key "a" already set in map`, a hundred at most. */
  readonly repeated: readonly string[];
}

export class YamlReader {
  readonly #scanner: Scanner;
  readonly #values: Values;
  readonly #maxDepth: number;
  readonly #frames: Frame[] = [];
  #tags = standardTags;
  #root: Node | undefined;
  #merged = 0;
  #containersLeft: number;

  /** @param maxDepth levels of lists and maps that the value may have */
  constructor(text: string, maxDepth: number) {
    this.#scanner = new Scanner(text);
    this.#values = new Values(maxDepth);
    this.#maxDepth = maxDepth;
    this.#containersLeft = maxContainers(text.length);
  }

  /** Reads on for the work of about that many characters; true when the document is read. Throws {@link YamlError}. */
  advance(work: number): boolean {
    const end = this.#done + work;
    if (this.#root === undefined && this.#frames.length === 0) this.#beginDocument();
    while (this.#frames.length > 0) {
      if (this.#done > end) return false;
      this.#step(this.#frames[this.#frames.length - 1]!);
    }
    // The text after the document is not parsed, but the token after it must be valid.
    if (this.#root !== undefined) this.#scanner.peek();
    return true;
  }

  get #done(): number {
    return this.#scanner.position + this.#merged;
  }

  result(): YamlDocument {
    const repeated = this.#values.finish();
    return { value: this.#root?.value ?? null, repeated };
  }

  #peekKind(): Kind {
    const token = this.#scanner.peek();
    return token.opensMapping ? Kind.blockMappingStart : token.isKey ? Kind.key : token.kind;
  }

  #take(): Token {
    const token = this.#scanner.peek();
    if (token.opensMapping) token.opensMapping = false;
    else if (token.isKey) token.isKey = false;
    else this.#scanner.take();
    return token;
  }

  #takeIf(kind: Kind): boolean {
    if (this.#peekKind() !== kind) return false;
    this.#take();
    return true;
  }

  #beginDocument(): void {
    const kind = this.#peekKind();
    if (kind === Kind.streamEnd) return;
    if (kind !== Kind.versionDirective && kind !== Kind.tagDirective && kind !== Kind.documentStart) {
      this.#node(true, false);
      return;
    }
    this.#readDirectives();
    if (this.#peekKind() !== Kind.documentStart)
      throw grammarError('did not find expected <document start>', this.#scanner.peek().line);
    const { line } = this.#take();
    if (this.#peekKind() >= Kind.blockSequenceStart) this.#node(true, false);
    else this.#empty(line);
  }

  #readDirectives(): void {
    let hasVersion = false;
    const own = new Map<string, string>();
    for (;;) {
      const { kind, text, suffix, line } = this.#scanner.peek();
      if (kind === Kind.versionDirective) {
        if (hasVersion) throw grammarError('found duplicate %YAML directive', line);
        if (text !== '1.1') throw grammarError('found incompatible YAML document', line);
        hasVersion = true;
      } else if (kind === Kind.tagDirective) {
        if (own.has(text)) throw grammarError('found duplicate %TAG directive', line);
        own.set(text, suffix);
      } else break;
      this.#scanner.take();
    }
    if (own.size > 0) this.#tags = new Map([...standardTags, ...own]);
  }

  #step(frame: Frame): void {
    switch (frame.kind) {
      case 'blockSequence':
        return this.#stepBlockSequence(frame);
      case 'indentlessSequence':
        return this.#stepIndentlessSequence(frame);
      case 'blockMapping':
        return this.#stepBlockMapping(frame);
      case 'flowSequence':
        return this.#stepFlowSequence(frame);
      case 'flowMapping':
        return this.#stepFlowMapping(frame);
      case 'pair':
        return this.#stepPair(frame);
    }
  }

  #stepBlockSequence(frame: Frame): void {
    const kind = this.#peekKind();
    if (kind !== Kind.blockEntry && kind !== Kind.blockEnd)
      throw this.#unexpected("did not find expected '-' indicator", frame);
    const { line } = this.#take();
    if (kind === Kind.blockEnd) this.#close(frame);
    else if (this.#peekKind() === Kind.blockEntry || this.#peekKind() === Kind.blockEnd) this.#empty(line);
    else this.#node(true, false);
  }

  /** A list in a mapping may stand as far left as its key: no token ends it. */
  #stepIndentlessSequence(frame: Frame): void {
    if (this.#peekKind() !== Kind.blockEntry) return this.#close(frame);
    const { line } = this.#take();
    const kind = this.#peekKind();
    if (kind === Kind.blockEntry || kind === Kind.key || kind === Kind.value || kind === Kind.blockEnd)
      this.#empty(line);
    else this.#node(true, false);
  }

  #stepBlockMapping(frame: Frame): void {
    if (frame.expected === 'value') {
      if (this.#peekKind() === Kind.value) this.#nodeBehind(this.#take());
      else this.#empty(this.#scanner.peek().line);
    } else if (this.#peekKind() === Kind.key) this.#nodeBehind(this.#take());
    else if (this.#takeIf(Kind.blockEnd)) this.#close(frame);
    else throw this.#unexpected('did not find expected key', frame);
  }

  /** The node behind `?` or `:` in a block mapping. */
  #nodeBehind({ line }: Token): void {
    const kind = this.#peekKind();
    if (kind === Kind.key || kind === Kind.value || kind === Kind.blockEnd) this.#empty(line);
    else this.#node(true, true);
  }

  #stepFlowSequence(frame: Frame): void {
    if (this.#endOrNextEntry(frame, Kind.flowSequenceEnd, "did not find expected ',' or ']'")) return;
    if (this.#peekKind() !== Kind.key) return this.#node(false, false);
    const { line } = this.#take();
    this.#open('pair', line, this.#values.begin(''));
  }

  /** `[key: value]`: a mapping of one member without braces. */
  #stepPair(frame: Frame): void {
    const kind = this.#peekKind();
    if (frame.expected === 'done') return this.#close(frame);
    const isEnd = kind === Kind.flowEntry || kind === Kind.flowSequenceEnd;
    if (frame.expected === 'value') return this.#flowValue(Kind.flowSequenceEnd);
    if (!isEnd && kind !== Kind.value) return this.#node(false, false);
    // libyaml skips a token here, whatever it is: `[? : x]` and `[?]` are mistakes for it.
    this.#empty(this.#take().line);
  }

  #stepFlowMapping(frame: Frame): void {
    if (frame.expected === 'value') return this.#flowValue(Kind.flowMappingEnd);
    if (frame.expected === 'noValue') return this.#empty(this.#scanner.peek().line);
    if (this.#endOrNextEntry(frame, Kind.flowMappingEnd, "did not find expected ',' or '}'")) return;
    if (this.#peekKind() !== Kind.key) {
      frame.expected = 'noValue';
      return this.#node(false, false);
    }
    const { line } = this.#take();
    const kind = this.#peekKind();
    if (kind === Kind.value || kind === Kind.flowEntry || kind === Kind.flowMappingEnd) this.#empty(line);
    else this.#node(false, false);
  }

  #flowValue(end: Kind): void {
    const { line } = this.#scanner.peek();
    if (!this.#takeIf(Kind.value) || this.#peekKind() === Kind.flowEntry || this.#peekKind() === end) this.#empty(line);
    else this.#node(false, false);
  }

  /** Closes the collection at its bracket (true), or goes to its next entry. */
  #endOrNextEntry(frame: Frame, end: Kind, problem: string): boolean {
    if (this.#peekKind() !== end && frame.expected !== 'first' && !this.#takeIf(Kind.flowEntry))
      throw this.#unexpected(problem, frame);
    frame.expected = 'entry';
    if (!this.#takeIf(end)) return false;
    this.#close(frame);
    return true;
  }

  #unexpected(problem: string, { line }: Frame): YamlError {
    return grammarError(problem, this.#scanner.peek().line, line);
  }

  /** Reads a scalar or an alias, or opens a collection. */
  #node(inBlock: boolean, indentless: boolean): void {
    if (this.#peekKind() === Kind.alias) {
      const { text, line } = this.#take();
      return this.#put(this.#values.alias(text, line, this.#frames.length));
    }
    const properties = this.#readProperties();
    const start = this.#values.begin(properties.anchor);
    const kind = this.#peekKind();
    switch (kind) {
      case Kind.plain:
      case Kind.quoted:
      case Kind.block:
        return this.#put(
          this.#values.scalar(this.#take().text, kind === Kind.plain, properties.tag, properties.line, start),
        );
      case Kind.flowSequenceStart:
        return this.#openTaken('flowSequence', properties, start);
      case Kind.flowMappingStart:
        return this.#openTaken('flowMapping', properties, start);
      case Kind.blockSequenceStart:
        if (inBlock) return this.#openTaken('blockSequence', properties, start);
        break;
      case Kind.blockMappingStart:
        if (inBlock) return this.#openTaken('blockMapping', properties, start);
        break;
      case Kind.blockEntry:
        if (indentless) return this.#open('indentlessSequence', properties.line, start);
        break;
      default:
    }
    if (properties.anchor === '' && properties.tag === '')
      throw grammarError('did not find expected node content', this.#scanner.peek().line, properties.line);
    this.#put(this.#values.scalar('', true, properties.tag, properties.line, start));
  }

  /** An anchor and a tag, in either order, one of each at most. */
  #readProperties(): Properties {
    const { line } = this.#scanner.peek();
    let anchor = '';
    let tag: Token | undefined;
    for (;;) {
      const kind = this.#peekKind();
      if (kind === Kind.anchor && anchor === '') anchor = this.#take().text;
      else if (kind === Kind.tag && tag === undefined) tag = this.#take();
      else return { anchor, tag: tag === undefined ? '' : this.#fullTag(tag, line), line };
    }
  }

  #fullTag({ text, suffix, line }: Token, contextLine: number): string {
    if (text === '') return suffix;
    const prefix = this.#tags.get(text);
    if (prefix === undefined) throw grammarError('found undefined tag handle', line, contextLine);
    return prefix + suffix;
  }

  #empty(line: number): void {
    this.#put(this.#values.scalar('', true, '', line, this.#values.begin('')));
  }

  #openTaken(kind: Frame['kind'], { line }: Properties, start: Start | undefined): void {
    this.#take();
    this.#open(kind, line, start);
  }

  #open(kind: Frame['kind'], line: number, start: Start | undefined): void {
    if (this.#frames.length >= this.#maxDepth) throw grammarError(`exceeded max depth of ${this.#maxDepth}`, line);
    if (--this.#containersLeft < 0) throw new YamlError(`yaml: ${tooManyContainers}`);
    this.#frames.push(createFrame(kind, line, start));
  }

  #close({ items, members, height, line, start }: Frame): void {
    this.#frames.pop();
    this.#put(this.#values.collection(members ?? items, height, line, start));
  }

  /** Puts a finished node where it belongs. */
  #put(node: Node): void {
    const frame = this.#frames[this.#frames.length - 1];
    if (frame === undefined) {
      this.#root = node;
      return;
    }
    if (node.height >= frame.height) frame.height = node.height + 1;
    if (frame.members === undefined) frame.items.push(node.value);
    else if (frame.key === undefined) {
      frame.key = node;
      if (frame.expected !== 'noValue') frame.expected = 'value';
    } else {
      this.#merged += this.#values.member(frame.members, frame.key, node);
      frame.key = undefined;
      frame.expected = frame.kind === 'pair' ? 'done' : 'entry';
    }
  }
}
