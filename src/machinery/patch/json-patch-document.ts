/** The body of a JSON patch: a list of operations, and what is odd about their members. */
import { ProblemList } from '../json/problems.ts';
import { badRequest, requestEntityTooLarge } from '../status.ts';
import { goJsonKind } from '../go-format.ts';
import { keysOf, memberOf } from '../members.ts';
import { createMap, isObject, type JsonObject, type JsonValue } from '../value.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** One step as the client wrote it: what is missing or wrong shows when it is applied. */
export type JsonPatchOperation = JsonObject;

export interface DecodedJsonPatch {
  readonly operations: readonly JsonPatchOperation[];
  /**
   * Under Warn and Strict, texts about members that no operation has or that one has twice, by operation: `json patch
   * unknown field "[0].odd"`, `json patch duplicate field "[1].path"`.
   */
  readonly problems: readonly string[];
}

const MAX_OPERATIONS = 10_000;

const textMembers: readonly string[] = ['op', 'path', 'from'];

/**
 * The patch in a request body.
 * @param duplicates what the text has twice: `duplicate field "[1].path"`, in order
 * @throws StatusError 400 when it is no list of objects, 413 beyond 10,000 operations.
 */
export function decodeJsonPatch(
  body: JsonValue,
  validation: FieldValidation,
  duplicates: readonly string[] = [],
): DecodedJsonPatch {
  const lenient = validation === 'Ignore';
  const items = body ?? [];
  if (!Array.isArray(items)) throw wrongType(items, lenient ? 'jsonpatch.Patch' : '[]handlers.jsonPatchOp', lenient);
  const problems = new ProblemList(false);
  const repeated = duplicatesByOperation(duplicates);
  const operations = items.map((item, index) => {
    if (item === null) return createMap();
    if (!isObject(item)) throw wrongType(item, lenient ? 'jsonpatch.Operation' : 'handlers.jsonPatchOp', lenient);
    if (!lenient) checkMembers(item, index, problems, repeated.get(index) ?? []);
    return item;
  });
  if (operations.length > MAX_OPERATIONS) {
    throw requestEntityTooLarge(
      `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, ` +
        `got ${operations.length}`,
    );
  }
  return { operations, problems: problems.slice() };
}

interface Duplicate {
  /** Of the operation: that which is there twice, or that in which something is. */
  readonly member: string;
  readonly text: string;
}

function duplicatesByOperation(duplicates: readonly string[]): ReadonlyMap<number, readonly Duplicate[]> {
  const found = new Map<number, Duplicate[]>();
  for (const text of duplicates) {
    const [, index, member = ''] = /^duplicate field "\[(\d+)\]\.(\w*)/.exec(text) ?? [];
    if (index === undefined) continue;
    const known = found.get(Number(index));
    if (known === undefined) found.set(Number(index), [{ member, text }]);
    else known.push({ member, text });
  }
  return found;
}

function checkMembers(
  operation: JsonObject,
  index: number,
  problems: ProblemList,
  duplicates: readonly Duplicate[],
): void {
  for (const name of textMembers) {
    const value = memberOf(operation, name) ?? null;
    if (value !== null && typeof value !== 'string') {
      throw badRequest(
        `error decoding patch: json: cannot unmarshal ${goJsonKind(value)} into Go struct field ` +
          `jsonPatchOp.${name} of type string`,
      );
    }
  }
  for (const key of keysOf(operation)) {
    if (problems.isFull) return;
    if (!isMember(key)) problems.add(`json patch unknown field "[${index}].${key}"`);
  }
  for (const { member, text } of duplicates) if (isMember(member)) problems.add(`json patch ${text}`);
}

const isMember = (key: string): boolean => key === 'value' || textMembers.includes(key);

const wrongType = (value: JsonValue, goType: string, lenient: boolean) =>
  badRequest(
    `${lenient ? '' : 'error decoding patch: '}json: cannot unmarshal ${goJsonKind(value)} into Go ` +
      `value of type ${goType}`,
  );
