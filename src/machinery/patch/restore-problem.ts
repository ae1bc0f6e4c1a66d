/**
 * Why the result of a strategic merge is no object of its type. Upstream reads that result without JSON in between, so
 * that its texts differ from those of its decoder; kubectl's own tests look for them.
 */
import type { Element, Member, Plans } from '../codec/plan.ts';
import { goTypeOf } from '../json/go-types.ts';
import { isWellKnownType, readWellKnownType } from '../json/well-known-types.ts';
import { stringifyJson } from '../json/writer.ts';
import { canonicalBase64 } from '../json/base64.ts';
import { isObject, type JsonObject, type JsonValue } from '../value.ts';

/** The first value that does not fit, in the order in which the type declares its members; undefined where all fit. */
export function restoreProblem(plans: Plans, typeId: string, object: JsonObject): string | undefined {
  return new Restorer(plans).struct(object, typeId);
}

class Restorer {
  readonly #plans: Plans;

  constructor(plans: Plans) {
    this.#plans = plans;
  }

  struct(value: JsonValue, typeId: string): string | undefined {
    if (!isObject(value)) return `cannot restore struct from: ${goKind(value)}`;
    return firstOf(this.#plans.of(typeId).members, (member) => {
      if (member.shape === 'inline')
        return member.element.fieldType === 'struct' ? this.struct(value, member.element.type) : undefined;
      return this.#member(value[member.json] ?? null, member);
    });
  }

  #member(value: JsonValue, member: Member): string | undefined {
    if (value === null) return undefined;
    const { element, field } = member;
    const goType = goTypeOf(element, field);
    if (member.shape === 'list') return this.#list(value, element, goType);
    if (member.shape !== 'map') return this.#element(value, element, goType);
    if (!isObject(value)) return `cannot restore map from ${goKind(value)}`;
    return firstOf(Object.values(value), (item) => this.#element(item ?? null, element, goType));
  }

  #list(value: JsonValue, element: Element, goType: string): string | undefined {
    if (!Array.isArray(value)) return `cannot restore slice from ${goKind(value)}`;
    return firstOf(value, (item) => this.#element(item, element, goType));
  }

  #element(value: JsonValue, element: Element, goType: string): string | undefined {
    if (value === null) return undefined;
    const { fieldType } = element;
    if (fieldType === 'struct') return this.struct(value, element.type);
    if (fieldType === 'texts') return this.#list(value, { fieldType: 'string' }, 'string');
    if (fieldType === 'bytes') return bytesProblem(value);
    if (isWellKnownType(fieldType)) {
      const read = readWellKnownType(fieldType, value, stringifyJson);
      return read instanceof Error ? read.message : undefined;
    }
    const kind = simpleKinds[fieldType];
    return kind === undefined ? undefined : simpleProblem(value, kind, goType);
  }
}

/** What Go has under the names of simple types. */
const simpleKinds: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'bool',
  int32: 'int32',
  int64: 'int64',
  goDuration: 'int64',
  uint32: 'uint32',
  uint64: 'uint64',
  double: 'float64',
};

function simpleProblem(value: JsonValue, kind: string, goType: string): string | undefined {
  const from = goKind(value);
  if (from === kind) return undefined;
  const isNumber = from === 'int64' || from === 'float64';
  const toNumber = kind !== 'string' && kind !== 'bool';
  if (isNumber && toNumber)
    return from === 'int64' || kind === 'float64' ? undefined : `cannot convert ${from} to ${goType}`;
  // Go makes texts of integers, but not for JSON.
  return from === 'int64' && kind === 'string' ? `cannot convert ${from} to ${goType}` : `unrecognized type: ${kind}`;
}

function bytesProblem(value: JsonValue): string | undefined {
  if (Array.isArray(value)) return firstOf(value, (item) => simpleProblem(item, 'uint8', 'uint8'));
  if (typeof value !== 'string') return `cannot restore slice from ${goKind(value)}`;
  try {
    canonicalBase64(value);
    return undefined;
  } catch (error) {
    return `error decoding from json: ${(error as Error).message}`;
  }
}

function goKind(value: JsonValue): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map';
}

function firstOf<T>(items: Iterable<T>, problemOf: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
