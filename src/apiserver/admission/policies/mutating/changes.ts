/** What the value of an expression makes of an object, both as JSON. */
import { ConstructedValue, ListValue, misplacedTypes, NotJson, toJson, type Value } from '../../../../cel/index.ts';
import { mergeValues } from '../../../../machinery/managed-fields/merge-values.ts';
import { memberType, type MergeType } from '../../../../machinery/managed-fields/merge-type.ts';
import { TypeMismatch } from '../../../../machinery/managed-fields/typed-value.ts';
import { validateConfiguration } from '../../../../machinery/managed-fields/validate.ts';
import { keysOf, memberOf } from '../../../../machinery/members.ts';
import { type JsonPatchOperation } from '../../../../machinery/patch/json-patch-document.ts';
import { applyJsonPatch, isTestFailure } from '../../../../machinery/patch/json-patch.ts';
import { isStatusError } from '../../../../machinery/status.ts';
import { createMap, isObject, type JsonObject, type JsonValue } from '../../../../machinery/value.ts';

/** Why a mutation cannot be made, as the client is told it. */
export class MutationProblem extends Error {
  override readonly name = 'MutationProblem';
}

/**
 * The object with an apply configuration merged into it. Lists and maps that are replaced as a whole are refused: what
 * the expression does not name would be lost.
 */
export function applyConfiguration(type: MergeType, object: JsonObject, value: Value): JsonObject {
  const config: JsonObject = Object.assign(createMap(), jsonOf(value), {
    apiVersion: object['apiVersion'],
    kind: object['kind'],
  });
  try {
    validateConfiguration(type, config);
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error;
    throw new MutationProblem(`error applying patch: failed to convert patch object to typed object: ${error.message}`);
  }
  const atomics = [...atomicPlaces(type, config, '')];
  if (atomics.length > 0)
    throw new MutationProblem(
      'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ' +
        atomics.join(', '),
    );
  return mergeValues(type, object, config) as JsonObject;
}

function* atomicPlaces(type: MergeType, value: JsonValue, path: string): Generator<string> {
  if (isObject(value) && type.map !== undefined) {
    if (type.map.atomic) yield path;
    for (const name of keysOf(value))
      yield* atomicPlaces(memberType(type.map, name) ?? type, memberOf(value, name)!, `${path}.${name}`);
  } else if (Array.isArray(value) && type.list !== undefined) {
    if (!type.list.associative) yield path;
    for (const [index, item] of value.entries()) yield* atomicPlaces(type.list.element, item, `${path}[${index}]`);
  }
}

/** The object after the patch; the object itself where one of its tests fails. */
export function applyPatch(object: JsonObject, value: Value): JsonObject {
  const operations = operationsOf(value);
  try {
    return applyJsonPatch(object, operations) as JsonObject;
  } catch (error) {
    if (isTestFailure(error)) return object;
    const why = isStatusError(error) && error.cause instanceof Error ? error.cause.message : (error as Error).message;
    throw new MutationProblem(`JSON Patch: ${why}`);
  }
}

function operationsOf(value: Value): JsonPatchOperation[] {
  if (!(value instanceof ListValue)) throw new MutationProblem('the expression is no list of operations');
  return Array.from(value, (operation) => {
    if (!(operation instanceof ConstructedValue)) throw new MutationProblem('an item of the list is no operation');
    const { fields } = operation;
    const from = fields.get('from') ?? '';
    return Object.assign(createMap(), {
      op: jsonOf(fields.get('op') ?? ''),
      path: jsonOf(fields.get('path') ?? ''),
      ...(from === '' ? {} : { from: jsonOf(from) }),
      ...(fields.has('value') ? { value: jsonOf(fields.get('value')!) } : {}),
    });
  });
}

function jsonOf(value: Value): JsonValue {
  const problems = value instanceof ConstructedValue ? misplacedTypes(value) : [];
  if (problems.length > 0) throw new MutationProblem(`type mismatch: ${problems.join('\n')}`);
  try {
    return toJson(value);
  } catch (error) {
    if (error instanceof NotJson) throw new MutationProblem(error.message);
    throw error;
  }
}
