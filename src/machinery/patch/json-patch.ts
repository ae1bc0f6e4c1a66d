/**
 * JSON Patch, RFC 6902, with the leniencies and limits of the API server: clients depend on both.
 *
 * - `replace` and `test … null` accept a missing member, `copy` of one makes null; in arrays an index below zero
 *   counts from the end; what stands before the first `/` of a path is ignored.
 * - Keys are data: `__proto__` is an ordinary member, integers beyond 2^53 keep their value.
 *
 * The document is never changed. The result shares what the patch did not open with the document and the patch; the
 * objects it opened have their members in key order, as upstream's have (the text of errors shows it). JSON that the
 * document carries closed is opened where a path leads into it.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6902 | RFC 6902}
 */
import { maxDepth as maxMessageDepth } from '../codec/wire-read.ts';
import { maxValueDepth } from '../json/reader.ts';
import { contentOf, jsonEqual, keysOf, memberOf, sortedCopy, sortMembers } from '../members.ts';
import { isObject, RawJson, type JsonObject, type JsonValue } from '../value.ts';
import type { JsonPatchOperation } from './json-patch-document.ts';
import { cannotApply } from './patch-error.ts';

class TestFailure extends Error {
  override readonly name = 'TestFailure';
  constructor(path: string) {
    super(`testing value ${path} failed: test failed`);
  }
}

/** Whether a patch was refused because one of its `test` operations does not hold. */
export const isTestFailure = (error: unknown): boolean => error instanceof Error && error.cause instanceof TestFailure;

/** Upstream's default for the total size of what `copy` may add. */
const MAX_COPY_BYTES = 3 * 1024 * 1024;

/** The depth of an object as JSON: a value without a type inside the levels of its type. */
const MAX_DEPTH = maxValueDepth + maxMessageDepth;

/**
 * The document after all operations, in order.
 * @param options.maxCopyBytes limit of the JSON text that `copy` operations add, together.
 * @throws StatusError 422 when one of them fails; nothing is done then.
 */
export function applyJsonPatch(
  document: JsonValue,
  operations: readonly JsonPatchOperation[],
  options: { maxCopyBytes?: number } = {},
): JsonValue {
  const run = new PatchRun(document, options.maxCopyBytes ?? MAX_COPY_BYTES);
  for (const operation of operations) run.apply(operation);
  run.finish();
  return run.root;
}

type Container = JsonObject | JsonValue[];

/** A place in the document: the opened container and the key in it. */
interface Place {
  readonly container: Container;
  readonly key: string;
}

class PatchRun {
  root: JsonValue;
  /** Containers made in this run, which may be changed in place. */
  readonly #own = new Set<Container>();
  #copyBytesLeft: number;

  constructor(document: JsonValue, maxCopyBytes: number) {
    this.root = document;
    this.#copyBytesLeft = maxCopyBytes;
    if (isContainer(document)) this.root = this.#open(document);
  }

  apply(operation: JsonPatchOperation): void {
    try {
      this.#run(operation);
    } catch (error) {
      throw error instanceof PlaceError ? cannotApply(placed(operation, error)) : error;
    }
  }

  #run(operation: JsonPatchOperation): void {
    const op = memberOf(operation, 'op');
    switch (op) {
      case 'add':
        return add(this.#place(text(operation, 'path')), value(operation));
      case 'remove':
        return remove(this.#place(text(operation, 'path')));
      case 'replace':
        return this.#replace(text(operation, 'path'), value(operation));
      case 'move':
        return this.#move(text(operation, 'from'), text(operation, 'path'));
      case 'copy':
        return this.#copy(text(operation, 'from'), text(operation, 'path'));
      case 'test':
        return this.#test(text(operation, 'path'), value(operation));
      default:
        throw cannotApply(`Unexpected kind: ${String(op)}`);
    }
  }

  /**
   * Moves members that were added to their place in the key order. Values that were nested into each other may be too
   * deep for the steps after this one.
   */
  finish(): void {
    if (isDeeper(this.root, MAX_DEPTH)) throw tooDeep();
    for (const container of this.#own) if (!Array.isArray(container)) sortMembers(container);
  }

  #replace(path: string, replacement: JsonValue): void {
    if (path !== '') {
      const place = this.#place(path);
      get(place);
      set(place, replacement);
    } else if (isContainer(replacement)) {
      this.root = this.#open(replacement);
    }
  }

  #move(from: string, path: string): void {
    const source = this.#place(from);
    const moved = get(source);
    remove(source);
    add(this.#place(path), moved ?? null);
  }

  /** Copies in depth: two places that share a container could be told apart by a later operation. */
  #copy(from: string, path: string): void {
    const copied = get(this.#place(from)) ?? null;
    const target = this.#place(path);
    this.#copyBytesLeft -= jsonBytes(copied);
    if (this.#copyBytesLeft < 0) throw cannotApply('the copy operations exceed the accumulated size limit');
    add(target, structuredCopy(copied));
  }

  #test(path: string, expected: JsonValue): void {
    const actual = path === '' ? this.root : (get(this.#place(path)) ?? null);
    if (!jsonEqual(actual, expected)) throw cannotApply(new TestFailure(path));
  }

  /** Opens the containers on the way, so that the last one may be changed. */
  #place(path: string): Place {
    const keys = path.split('/').slice(1).map(unescape);
    const key = keys.pop();
    if (key === undefined) throw cannotApply(`doc is missing path: "${path}": missing value`);
    let container = this.root;
    for (const step of keys) {
      const next = isContainer(container) ? contentOf(get({ container, key: step })) : undefined;
      if (!isContainer(next)) throw cannotApply(`doc is missing path: "${path}": missing value`);
      const opened = this.#open(next);
      if (opened !== next) set({ container: container as Container, key: step }, opened);
      container = opened;
    }
    if (!isContainer(container)) throw cannotApply(`doc is missing path: "${path}": missing value`);
    return { container, key };
  }

  #open(container: Container): Container {
    if (this.#own.has(container)) return container;
    const copy = Array.isArray(container) ? [...container] : sortedCopy(container);
    this.#own.add(copy);
    return copy;
  }
}

const isContainer = (candidate: JsonValue | undefined): candidate is Container =>
  Array.isArray(candidate) || isObject(candidate);

function text(operation: JsonPatchOperation, name: 'path' | 'from'): string {
  const found = memberOf(operation, name);
  if (typeof found !== 'string')
    throw cannotApply(`${String(memberOf(operation, 'op'))} operation failed to decode ${name}: missing value`);
  return found;
}

/** Says in which operation a member or an element could not be added or removed. */
function placed(operation: JsonPatchOperation, { message }: PlaceError): string {
  const op = memberOf(operation, 'op');
  return op === 'add' || op === 'remove'
    ? `error in ${op} for path: '${text(operation, 'path')}': ${message}`
    : message;
}

/** What is wrong at the last step of a path. */
class PlaceError extends Error {
  override readonly name = 'PlaceError';
}

const value = (operation: JsonPatchOperation): JsonValue => memberOf(operation, 'value') ?? null;

/** RFC 6901, section 4: `~1` is `/`, `~0` is `~`. */
const unescape = (token: string): string =>
  token.includes('~') ? token.replace(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~')) : token;

/** A missing member of an object is undefined; an index outside an array is an error. */
function get({ container, key }: Place): JsonValue | undefined {
  return Array.isArray(container) ? container[indexIn(container.length, key)] : memberOf(container, key);
}

function set({ container, key }: Place, replacement: JsonValue): void {
  if (Array.isArray(container)) container[indexIn(container.length, key)] = replacement;
  else container[key] = replacement;
}

function add({ container, key }: Place, added: JsonValue): void {
  if (!Array.isArray(container)) container[key] = added;
  else if (key === '-') container.push(added);
  else container.splice(indexIn(container.length + 1, key), 0, added);
}

function remove({ container, key }: Place): void {
  if (Array.isArray(container)) {
    container.splice(indexIn(container.length, key), 1);
    return;
  }
  if (memberOf(container, key) === undefined)
    throw new PlaceError(`Unable to remove nonexistent key: ${key}: missing value`);
  delete container[key];
}

function indexIn(length: number, key: string): number {
  if (!/^[+-]?\d+$/.test(key)) throw new PlaceError(`value was not a proper array index: '${key}'`);
  const index = Number(key);
  if (index >= length || index < -length)
    throw new PlaceError(`Unable to access invalid index: ${key}: invalid index referenced`);
  return index < 0 ? index + length : index;
}

function structuredCopy(original: JsonValue): JsonValue {
  if (Array.isArray(original)) return original.map(structuredCopy);
  if (!isObject(original)) return original;
  const copy = sortedCopy(original);
  for (const key of Object.keys(copy)) copy[key] = structuredCopy(copy[key]!);
  return copy;
}

const tooDeep = (): Error => cannotApply('exceeded max depth');

function isDeeper(value: JsonValue, depth: number): boolean {
  if (!isContainer(value)) return false;
  if (depth === 0) return true;
  return Object.values(value).some((item) => isDeeper(item as JsonValue, depth - 1));
}

/** Length of the value's JSON text in bytes. */
function jsonBytes(counted: JsonValue, depth = MAX_DEPTH): number {
  if (depth === 0) throw tooDeep();
  if (Array.isArray(counted))
    return counted.reduce<number>((sum, item) => sum + 1 + jsonBytes(item, depth - 1), counted.length === 0 ? 2 : 1);
  if (isObject(counted)) {
    const keys = keysOf(counted);
    return keys.reduce(
      (sum, key) => sum + 2 + textBytes(key) + jsonBytes(counted[key]!, depth - 1),
      keys.length === 0 ? 2 : 1,
    );
  }
  if ((counted as unknown) instanceof RawJson) return Buffer.byteLength((counted as unknown as RawJson).text);
  return typeof counted === 'string' ? textBytes(counted) : String(counted).length;
}

const textBytes = (counted: string): number => Buffer.byteLength(JSON.stringify(counted));
