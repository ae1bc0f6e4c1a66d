/**
 * The values of a document, made while it is parsed: the JSON of scalars, keys, merges and aliases.
 *
 * A value that JSON cannot represent is noted and reported at the end of the document, because a syntax error after it
 * takes precedence. An alias costs the same whatever it refers to: the value is shared, and what it adds to the
 * document is counted.
 */
import { canonicalBase64 } from '../json/base64.ts';
import { ProblemList } from '../json/problems.ts';
import { jsonText } from '../json/reader.ts';
import { goQuote } from '../go-quote.ts';
import type { JsonObject, JsonValue } from '../value.ts';
import { isObject } from '../value.ts';
import { YamlError } from './yaml-error.ts';
import { goSyntaxOf, keyText } from './keys.ts';
import { resolveScalar, type YamlScalar } from './scalars.ts';

/** What is known of a finished node besides its value. */
export interface Node {
  readonly value: JsonValue;
  /** From zero. */
  readonly line: number;
  /** Levels of lists and maps in it. */
  readonly height: number;
  /** What kind of scalar it is; undefined for a list or map. */
  readonly tag: YamlScalar['tag'] | undefined;
  /** `<<` without quotes, which as a key merges. */
  readonly isMerge: boolean;
}

/** What a node has added to the document, with aliases in it expanded. */
interface Size {
  nodes: number;
  characters: number;
}

interface Anchor {
  /** Undefined while the node is being read. */
  node: Node | undefined;
  readonly size: Size;
  /** The keys in it that came twice, which are told again for each alias. */
  repeated: readonly string[];
}

/** Where a node began, to know what it has added. */
export interface Start extends Size {
  readonly repeated: number;
  readonly anchor: Anchor;
}

const tagPrefix = 'tag:yaml.org,2002:';
const binaryTag = `${tagPrefix}binary`;
const mergeTag = `${tagPrefix}merge`;
/** Tags whose values are read as a scalar without quotes is. */
const resolvable = new Set(['null', 'bool', 'int', 'float', 'str', 'timestamp']);

/**
 * How much text aliases may add to a document, in characters.
 * @NOTE differs from upstream, which counts nodes alone.
 */
const maxAliasedCharacters = 3 * 1024 * 1024;

export class Values {
  /** What go-yaml's decoder refuses first, and what refuses the values that it has decoded. */
  #refused: YamlError | undefined;
  #inconvertible: YamlError | undefined;
  readonly #repeated = new ProblemList(false);
  readonly #anchors = new Map<string, Anchor>();
  readonly #size: Size = { nodes: 0, characters: 0 };
  readonly #aliased: Size = { nodes: 0, characters: 0 };
  readonly #maxDepth: number;

  constructor(maxDepth: number) {
    this.#maxDepth = maxDepth;
  }

  /** Texts about all keys that came twice. Throws what is wrong with the values. */
  finish(): readonly string[] {
    if (this.#refused !== undefined) throw this.#refused;
    if (this.#inconvertible !== undefined) throw this.#inconvertible;
    return this.#repeated.slice();
  }

  #refuse(problem: string): null {
    this.#refused ??= new YamlError(`yaml: ${problem}`);
    return null;
  }

  /** @param name of its anchor, '' where there is none: what the node adds is then not asked for */
  begin(name: string): Start | undefined {
    const { nodes, characters } = this.#size;
    this.#size.nodes++;
    if (name === '') return undefined;
    const anchor = { node: undefined, size: { nodes: 0, characters: 0 }, repeated: [] };
    this.#anchors.set(name, anchor);
    return { nodes, characters, repeated: this.#repeated.length, anchor };
  }

  #end(node: Node, start: Start | undefined): Node {
    if (start === undefined) return node;
    const { anchor } = start;
    anchor.node = node;
    anchor.size.nodes = this.#size.nodes - start.nodes;
    anchor.size.characters = this.#size.characters - start.characters;
    anchor.repeated = this.#repeated.slice(start.repeated);
    return node;
  }

  /** @param tag '' where there is none */
  scalar(text: string, isPlain: boolean, tag: string, line: number, start: Start | undefined): Node {
    this.#size.characters += text.length;
    const { tag: kind, value } = this.#resolve(text, isPlain, tag);
    return this.#end(
      {
        value,
        line,
        height: 0,
        tag: kind,
        isMerge: text === '<<' && (tag === '' ? isPlain : tag === mergeTag || tag === '!'),
      },
      start,
    );
  }

  #resolve(text: string, isPlain: boolean, tag: string): YamlScalar {
    if (tag === '') return isPlain ? resolveScalar(text) : { tag: 'str', value: text };
    if (tag === binaryTag) return { tag: 'str', value: this.#binary(text) };
    const name = tag.startsWith(tagPrefix) ? tag.slice(tagPrefix.length) : '';
    if (name === 'str' || !resolvable.has(name)) return { tag: 'str', value: text };
    const found = resolveScalar(text);
    // An integer is a float where that is asked for, unless it is too large for an int64.
    const isFloat = name === 'float' && found.tag === 'int' && found.value < 2n ** 63n;
    if (found.tag !== name && !isFloat) this.#refuse(`cannot decode !!${found.tag} \`${text}\` as a !!${name}`);
    return isFloat ? { tag: 'float', value: Number(found.value) } : found;
  }

  #binary(text: string): string {
    try {
      return jsonText(Buffer.from(canonicalBase64(text), 'base64'));
    } catch {
      this.#refuse('!!binary value contains invalid base64 data');
      return '';
    }
  }

  /** @param depth of the collections around it */
  alias(name: string, line: number, depth: number): Node {
    this.#size.nodes++;
    const anchor = this.#anchors.get(name);
    if (anchor === undefined) throw new YamlError(`yaml: unknown anchor '${name}' referenced`);
    const nothing = { value: null, line, height: 0, tag: undefined, isMerge: false };
    if (anchor.node === undefined) {
      this.#refuse(`anchor '${name}' value contains itself`);
      return nothing;
    }
    if (depth + anchor.node.height > this.#maxDepth) this.#refuse(`exceeded max depth of ${this.#maxDepth}`);
    this.#countAliased(anchor.size);
    for (const text of anchor.repeated) this.#repeated.add(text);
    return this.#refused === undefined ? { ...anchor.node, line, isMerge: false } : nothing;
  }

  /** go-yaml's bound on nodes: of a large document only a shrinking share may come from aliases. */
  #countAliased({ nodes, characters }: Size): void {
    const size = this.#size;
    const aliased = this.#aliased;
    size.nodes += nodes;
    aliased.nodes += nodes;
    size.characters += characters;
    aliased.characters += characters;
    const share = Math.min(0.99, Math.max(0.1, 0.99 - (0.89 * (size.nodes - 400_000)) / 3_600_000));
    const isExcessive = aliased.nodes > 100 && size.nodes > 1000 && aliased.nodes / size.nodes > share;
    if (isExcessive || aliased.characters > maxAliasedCharacters) this.#refuse('document contains excessive aliasing');
  }

  collection(value: JsonValue[] | JsonObject, height: number, line: number, start: Start | undefined): Node {
    return this.#end({ value, line, height, tag: undefined, isMerge: false }, start);
  }

  /** Adds a member; the last one of a name counts. Returns how many were added. */
  member(members: JsonObject, key: Node, value: Node): number {
    if (key.isMerge) return this.#merge(members, value.value);
    const name = keyText(key);
    if (name === undefined) {
      this.#refuseKey(key, value);
      return 1;
    }
    if (members[name] !== undefined && !this.#repeated.isFull)
      this.#repeated.add(`line ${value.line + 1}: key ${key.tag === 'str' ? goQuote(name) : name} already set in map`);
    members[name] = value.value;
    return 1;
  }

  #refuseKey(key: Node, value: Node): void {
    if (key.tag === undefined) this.#refuse(`invalid map key: ${goSyntaxOf(key.value)}`);
    else {
      const [type, shown] =
        key.value === null ? ['%!s(<nil>)', '<nil>'] : ['uint64', `0x${BigInt(key.value as number).toString(16)}`];
      this.#inconvertible ??= new YamlError(
        `unsupported map key of type: ${type}, key: ${shown}, ` +
          `value: ${value.value === null ? '<nil>' : goSyntaxOf(value.value)}`,
      );
    }
  }

  /** `<<: *base`, or a list of such, of which the earlier ones count more. */
  #merge(members: JsonObject, value: JsonValue): number {
    const sources = Array.isArray(value) ? value.toReversed() : [value];
    let count = 0;
    for (const source of sources) {
      if (!isObject(source)) {
        this.#refuse('map merge requires map or sequence of maps as the value');
        break;
      }
      for (const name of Object.keys(source)) {
        members[name] = source[name];
        count++;
      }
    }
    return count;
  }
}
