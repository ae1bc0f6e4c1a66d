/**
 * Reads YAML bodies as upstream does: the first document, converted to JSON with sorted members, and from then on it is
 * a JSON body.
 *
 * Nodes are resolved here and not by the library, whose YAML 1.1 differs from go-yaml's in what it takes for a number.
 * Aliases may repeat what they name only up to a share of the whole document, so that a small body cannot become a huge object.
 */
import { isUtf8 } from 'node:buffer';
import { Composer, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, Parser } from 'yaml';
import type { Alias, Document, ParsedNode, Scalar, YAMLMap, YAMLParseError } from 'yaml';
import { goQuote } from '../go-quote.ts';
import type { JsonObject, JsonValue } from '../value.ts';
import { createMap, isObject } from '../value.ts';
import { canonicalBase64 } from './base64.ts';
import { JsonBody } from './body.ts';
import { jsonText, maxStrictErrors } from './reader.ts';
import { encodeJson, sortNames } from './writer.ts';
import { resolveScalar } from './yaml-scalars.ts';

export { jsonToYaml, writeYaml } from './yaml-write.ts';

/** Text that is no YAML, or that has no form in JSON. The messages begin with `yaml: ` like those of go-yaml. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
}

/** A YAML document as a JSON body; duplicate keys are among its problems. Throws {@link YamlError}. */
export function readYaml(input: Uint8Array | string): JsonBody {
  const { value, problems } = parseYaml(input);
  return new JsonBody(encodeJson(value), problems);
}

export interface ParsedYaml {
  readonly value: JsonValue;
  /** One text about all keys that a mapping has twice, as go-yaml words it. */
  readonly problems: readonly string[];
}

/** The first document as a value. Throws {@link YamlError}. */
export function parseYaml(input: Uint8Array | string): ParsedYaml {
  if (typeof input !== 'string' && !isUtf8(input)) throw new YamlError('yaml: invalid leading UTF-8 octet');
  const text = jsonText(input);
  if (controlCharacter.test(text)) throw new YamlError('yaml: control characters are not allowed');
  const lines = new LineCounter();
  try {
    const document = firstDocument(text, lines);
    if (document === undefined) return { value: null, problems: [] };
    return new Converter(document, lines, text).convert();
  } catch (error) {
    if (error instanceof YamlError) throw error;
    throw new YamlError(`yaml: ${(error as Error).message}`, { cause: error });
  }
}

/** What YAML 1.1 allows nowhere, not even in quotes. */
const controlCharacter = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]|(?<=[^])\ufeff/;

function firstDocument(text: string, lines: LineCounter): Document.Parsed | undefined {
  const composer = new Composer({ schema: 'failsafe', version: '1.1', uniqueKeys: false, strict: true, logLevel: 'silent', prettyErrors: false, lineCounter: lines });
  for (const document of composeSafely(composer, text, lines)) {
    const [error] = document.errors;
    if (error !== undefined) throw syntaxError(error, lines);
    return document as Document.Parsed;
  }
  return undefined;
}

/**
 * The library composes nested nodes by recursion, and running out of stack there can end the process; its time grows with
 * the number of tokens, and requests wait for each other.
 * @NOTE differs from upstream: go-yaml reads ten thousand levels, and any number of tokens.
 */
const maxNesting = 250;
const maxTokens = 500_000;

function* composeSafely(composer: Composer, text: string, lines: LineCounter): Generator<Document> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let tokens = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (++tokens > maxTokens) throw new YamlError('yaml: document contains too many tokens');
    for (const token of parser.next(lexeme)) yield* composer.next(token);
    if (parser.stack.length > maxNesting) throw tooDeep();
  }
  for (const token of parser.end()) yield* composer.next(token);
  yield* composer.end(false, text.length);
}

const tooDeep = (): YamlError => new YamlError(`yaml: exceeded max depth of ${maxNesting}`);

/** go-yaml's words for the library's codes and texts, as far as the two see the same mistake. */
const messages: readonly (readonly [pattern: RegExp, text: string])[] = [
  [/^(BLOCK_AS_IMPLICIT_KEY|BLOCK_IN_FLOW) /, 'mapping values are not allowed in this context'],
  [/^(BAD_SCALAR_START|TAB_AS_INDENT) /, 'found character that cannot start any token'],
  [/^BAD_DQ_ESCAPE /, 'found unknown escape character'],
  [/^MISSING_CHAR Missing closing /, 'found unexpected end of stream'],
  [/^(MULTILINE_IMPLICIT_KEY|MISSING_CHAR Implicit map keys) /, "could not find expected ':'"],
  [/^\w+ Flow sequence /, "did not find expected ',' or ']'"],
  [/^\w+ Flow map /, "did not find expected ',' or '}'"],
  [/^BAD_ALIAS /, 'did not find expected alphabetic or numeric character'],
];

function syntaxError(error: YAMLParseError, lines: LineCounter): YamlError {
  const { line } = lines.linePos(error.pos[0]);
  const text = messages.find(([pattern]) => pattern.test(`${error.code} ${error.message}`))?.[1] ?? 'did not find expected key';
  return new YamlError(`yaml: ${line > 1 ? `line ${line}: ` : ''}${text}`, { cause: error });
}

type Node = ParsedNode | Scalar | null | undefined;

const binaryTag = 'tag:yaml.org,2002:binary';
const standardTag = /^tag:yaml\.org,2002:(null|bool|int|float|str|timestamp|merge)$/;

class Converter {
  private readonly document: Document.Parsed;
  private readonly lines: LineCounter;
  private readonly source: string;
  private readonly repeated: string[] = [];
  /** What each alias stands for. */
  private readonly targets: ReadonlyMap<Node, Node>;
  /** Targets of the aliases that are being read, which must not contain themselves. */
  private readonly opened = new Set<Node>();
  private nodes = 0;
  private aliased = 0;
  private aliasDepth = 0;
  private depth = 0;

  constructor(document: Document.Parsed, lines: LineCounter, source: string) {
    this.document = document;
    this.lines = lines;
    this.source = source;
    this.targets = aliasTargets(document.contents);
  }

  convert(): ParsedYaml {
    const value = this.value(this.document.contents);
    const problems = this.repeated.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${this.repeated.join('\n  ')}`];
    return { value, problems };
  }

  private value(node: Node): JsonValue {
    this.count();
    if (++this.depth > maxNesting) throw tooDeep();
    try {
      if (isAlias(node)) return this.alias(node as Alias.Parsed);
      if (isMap(node)) return this.mapping(node as YAMLMap.Parsed);
      if (isSeq(node)) return node.items.map((item) => this.value(item as Node));
      return isScalar(node) ? this.scalar(node as Scalar) : null;
    } finally {
      this.depth--;
    }
  }

  /** go-yaml's bound: of a large document only a shrinking share may come from aliases. */
  private count(): void {
    this.nodes++;
    if (this.aliasDepth > 0) this.aliased++;
    const share = Math.min(0.99, Math.max(0.1, 0.99 - (0.89 * (this.nodes - 400_000)) / 3_600_000));
    if (this.aliased > 100 && this.nodes > 1000 && this.aliased / this.nodes > share) throw new YamlError('yaml: document contains excessive aliasing');
  }

  private alias(node: Alias.Parsed): JsonValue {
    const target = this.targets.get(node);
    if (target === undefined) throw new YamlError(`yaml: unknown anchor '${node.source}' referenced`);
    if (this.opened.has(target)) throw new YamlError(`yaml: anchor '${node.source}' value contains itself`);
    this.opened.add(target);
    this.aliasDepth++;
    const value = this.value(target);
    this.aliasDepth--;
    this.opened.delete(target);
    return value;
  }

  private mapping(node: YAMLMap.Parsed): JsonObject {
    const members = new Map<string, JsonValue>();
    for (const { key, value } of node.items) {
      if (isMerge(key)) {
        this.merge(members, value);
        continue;
      }
      const name = this.key(key);
      if (members.has(name) && this.repeated.length < maxStrictErrors) this.repeated.push(`line ${this.lineOf(value ?? key)}: key ${this.keySyntax(key, name)} already set in map`);
      members.set(name, this.value(value));
    }
    return sorted(members);
  }

  /** `<<: *base`, or a list of such. */
  private merge(members: Map<string, JsonValue>, node: Node): void {
    const value = this.value(node);
    const sources = Array.isArray(value) ? value.toReversed() : [value];
    for (const source of sources) {
      if (!isObject(source)) throw new YamlError('yaml: map merge requires map or sequence of maps as the value');
      for (const name of Object.keys(source)) members.set(name, source[name]!);
    }
  }

  private key(node: Node): string {
    const value = this.value(node);
    if (typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
    const type = value === null ? '%!s(<nil>)' : Array.isArray(value) ? 'slice' : 'map';
    throw new YamlError(`Unsupported map key of type: ${type}, key: ${value === null ? '<nil>' : JSON.stringify(value)}`);
  }

  private keySyntax(node: Node, name: string): string {
    const value = isScalar(node) ? this.scalar(node as Scalar) : name;
    return typeof value === 'string' ? goQuote(value) : name;
  }

  private lineOf(node: Node): number {
    return this.lines.linePos(node?.range?.[0] ?? 0).line;
  }

  /** The library ends a block with a line break also where the text just ends. */
  private textOf(node: Scalar): string {
    const text = typeof node.value === 'string' ? node.value : (node.source ?? '');
    const isBlock = node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED';
    return isBlock && node.range?.[1] === this.source.length && !this.source.endsWith('\n') && text.endsWith('\n') ? text.slice(0, -1) : text;
  }

  private scalar(node: Scalar): JsonValue {
    const text = this.textOf(node);
    if (node.tag === binaryTag) return readBinary(text);
    const standard = node.tag === undefined ? undefined : standardTag.exec(node.tag)?.[1];
    if (node.tag !== undefined && standard === undefined) return text;
    if (standard === 'str' || (standard === undefined && node.type !== 'PLAIN')) return text;
    const { tag, value } = resolveScalar(text);
    if (standard !== undefined && standard !== tag && !(standard === 'float' && tag === 'int') && standard !== 'timestamp') {
      throw new YamlError(`yaml: cannot decode !!${tag} \`${text}\` as a !!${standard}`);
    }
    return value;
  }
}

/** The node that each alias stands for: the last one before it with that anchor. */
function aliasTargets(root: Node): Map<Node, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Node, Node>();
  const waiting: Node[] = [root];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (isAlias(node)) targets.set(node as Node, anchors.get(node.source));
    else if (node !== null && node !== undefined) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
      if (isMap(node)) for (const pair of node.items.toReversed()) waiting.push(pair.value as Node, pair.key as Node);
      else if (isSeq(node)) for (const item of node.items.toReversed()) waiting.push(item as Node);
    }
  }
  return targets;
}

function readBinary(text: string): string {
  try {
    return jsonText(Buffer.from(canonicalBase64(text), 'base64'));
  } catch (error) {
    throw new YamlError('yaml: !!binary value contains invalid base64 data', { cause: error });
  }
}

const isMerge = (node: Node): boolean => isScalar(node) && node.tag === undefined && node.type === 'PLAIN' && node.value === '<<';

function sorted(members: ReadonlyMap<string, JsonValue>): JsonObject {
  const object = createMap<JsonValue>();
  for (const name of sortNames([...members.keys()])) object[name] = members.get(name)!;
  return object;
}
