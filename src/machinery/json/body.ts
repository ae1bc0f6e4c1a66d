/**
 * A JSON document on its way to an object: read once, asked for its kind, then decoded as the type that the kind names
 * or taken as it is.
 */
import type { Links } from '../codec/link.ts';
import { maxDepth } from '../codec/wire-read.ts';
import { notClean } from '../codec/compile-normalize.ts';
import { maxContainers, tooManyContainers } from '../codec/size-limits.ts';
import type { JsonObject, JsonValue } from '../value.ts';
import { JsonSyntaxError, JsonTypeError } from './json-error.ts';
import { decodeExactly } from './exact.ts';
import { plain } from './exact-values.ts';
import { kindOf } from './go-types.ts';
import { inspectJson, type Inspection } from './inspect.ts';
import type { JsonDocument } from './reader.ts';
import { JsonNumber } from './number.ts';
import { duplicateFields } from './duplicate-fields.ts';
import { jsonText, maxValueDepth, readJson } from './reader.ts';
import { stringifyJson } from './writer.ts';

export interface Decoded<T = JsonObject> {
  readonly value: T;
  /** What strict decoding refuses: `unknown field "spec.foo"`, `duplicate field "data.k"`, in the order of the text. */
  readonly problems: readonly string[];
}

export class JsonBody {
  readonly text: string;
  /** The value as `JSON.parse` gives it, when nothing is lost that way. */
  readonly #parsed: JsonValue | undefined;
  readonly #memberCount: number;
  #exact: JsonDocument | undefined;
  readonly #earlierProblems: readonly string[];

  /**
   * @param earlierProblems what was wrong with the text that this one was made of (YAML)
   * @throws JsonSyntaxError
   * @throws JsonTypeError for more objects and lists than fit into memory
   */
  constructor(input: Uint8Array | string, earlierProblems: readonly string[] = []) {
    const bytes =
      typeof input === 'string'
        ? Buffer.from(input, 'utf8')
        : Buffer.isBuffer(input)
          ? input
          : Buffer.from(input.buffer, input.byteOffset, input.byteLength);
    const inspection = inspectJson(bytes);
    const { simple, members, ascii } = inspection;
    if (inspection.containers > maxContainers(bytes.length)) throw tooMany(inspection);
    this.text = typeof input === 'string' ? input : ascii ? bytes.latin1Slice(0, bytes.length) : jsonText(bytes);
    this.#memberCount = members;
    this.#earlierProblems = earlierProblems;
    this.#parsed = simple ? parseQuickly(this.text) : undefined;
    // Also finds out what is wrong with text that is no JSON, from the bytes where there are some.
    if (this.#parsed === undefined) this.#exact = readJson(input, exactly);
  }

  /** The kind that the document claims to be; '' for a member that is not there. Throws {@link JsonTypeError}. */
  typeMeta(): { apiVersion: string; kind: string } {
    const value = this.#parsed ?? this.#exactDocument().value;
    if (value === null) return { apiVersion: '', kind: '' };
    if (typeof value !== 'object' || Array.isArray(value) || value instanceof JsonNumber) {
      throw new JsonTypeError(
        `json: cannot unmarshal ${kindOf(value)} into Go value of type struct { APIVersion string ` +
          `"json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
      );
    }
    return { apiVersion: textMember(value, 'apiVersion'), kind: textMember(value, 'kind') };
  }

  /**
   * The value without a type: maps without a prototype, exact integers. Problems are the duplicate fields.
   * @throws JsonSyntaxError when it is deeper than {@link maxValueDepth}
   */
  value(): Decoded<JsonValue> {
    if (this.#parsed !== undefined && countMembers(this.#parsed) === this.#memberCount)
      return { value: plain(this.#parsed), problems: this.#earlierProblems };
    const document = readJson(this.text, { maxDepth: maxValueDepth });
    return { value: document.value, problems: [...this.#earlierProblems, ...duplicateFields(document)] };
  }

  /** As a normalized value of a type. Throws {@link JsonTypeError}. */
  decodeAs(links: Links, typeId: string): Decoded {
    const quick =
      this.#parsed !== undefined && !carriesJson(links, typeId)
        ? this.#decodeQuickly(links, typeId, this.#parsed)
        : undefined;
    const { value, problems } = quick ?? decodeExactly(links, typeId, this.#exactDocument());
    return { value, problems: this.#earlierProblems.length === 0 ? problems : [...this.#earlierProblems, ...problems] };
  }

  #decodeQuickly(links: Links, typeId: string, parsed: JsonValue): Decoded | undefined {
    const context = { members: 0, raw: JSON.stringify };
    const value = normalizeQuickly(links, typeId, parsed, context);
    return value === undefined || context.members !== this.#memberCount ? undefined : { value, problems: [] };
  }

  #exactDocument(): JsonDocument {
    this.#exact ??= readJson(this.text, exactly);
    return this.#exact;
  }
}

/** Brackets that are never closed are as many as there are levels: that mistake is told first. */
const tooMany = ({ tooDeep }: Inspection): Error =>
  tooDeep === 0
    ? new JsonTypeError(tooManyContainers)
    : new JsonSyntaxError(`invalid character '${String.fromCharCode(tooDeep)}' exceeded max depth`);

const exactly = { keepNumbers: true, keepStarts: true };

function parseQuickly(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function countMembers(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += countMembers(item);
  else for (const key of Object.keys(value)) count += 1 + countMembers(value[key]!);
  return count;
}

function textMember(object: JsonObject, name: string): string {
  const value = Object.hasOwn(object, name) ? (object[name] ?? '') : '';
  if (typeof value !== 'string')
    throw new JsonTypeError(`json: cannot unmarshal ${kindOf(value)} into Go struct field .${name} of type string`);
  return value;
}

function normalizeQuickly(
  links: Links,
  typeId: string,
  value: JsonValue,
  context: { members: number; raw: (value: JsonValue) => string },
): JsonObject | undefined {
  try {
    return links.of(typeId).normalize(value as JsonObject, context, maxDepth);
  } catch (error) {
    if (error === notClean) return undefined;
    throw error;
  }
}

/**
 * Normalizes a value that did not come from text (from a patch, from YAML); the input is not changed.
 * @param path where it stands in the object, for the paths of problems
 */
export function normalizeValue(links: Links, typeId: string, value: JsonValue, path = ''): Decoded {
  const quick = normalizeQuickly(links, typeId, value, { members: 0, raw: stringifyJson });
  if (quick !== undefined) return { value: quick, problems: [] };
  return decodeExactly(links, typeId, { text: '', value, repeated: undefined, starts: undefined }, path);
}

const carriers = new WeakMap<Links, Map<string, boolean>>();

/** Whether values of the type may hold JSON whose text must stay as it was sent. */
function carriesJson(links: Links, typeId: string): boolean {
  let known = carriers.get(links);
  if (known === undefined) carriers.set(links, (known = new Map()));
  let answer = known.get(typeId);
  if (answer === undefined) known.set(typeId, (answer = searchCarried(links, typeId, new Set())));
  return answer;
}

function searchCarried(links: Links, typeId: string, seen: Set<string>): boolean {
  if (seen.has(typeId)) return false;
  seen.add(typeId);
  return links.plans.of(typeId).members.some(({ element }) => {
    if (element.fieldType === 'rawExtension' || element.fieldType === 'unknown') return true;
    if (element.fieldType === 'struct') return searchCarried(links, element.type, seen);
    return 'schema' in element && searchCarried(links, element.schema, seen);
  });
}
