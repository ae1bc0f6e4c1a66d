/** Decoded objects as values, read in place: an element becomes a value when an expression asks for it. */
import { parseJson } from '../../machinery/json/reader.ts';
import { RawJson } from '../../machinery/value.ts';
import type { CelType } from '../check/types.ts';
import { CelError, Double, type ListSemantics, ListValue, MapValue, type Value } from '../values/values.ts';
import { work } from '../values/evaluation-limit.ts';

/** Makes a value of what JSON has at a place. */
export type Adapt = (json: unknown) => Value;

export class JsonList extends ListValue {
  override readonly size: number;
  readonly #items: readonly unknown[];
  readonly #adapt: Adapt;
  readonly #kind: ListSemantics | undefined;

  constructor(items: readonly unknown[], adapt: Adapt, kind?: ListSemantics) {
    super();
    this.#items = items;
    this.#adapt = adapt;
    this.#kind = kind;
    this.size = items.length;
  }

  override at(index: number): Value {
    return this.#adapt(this.#items[index]);
  }

  override get semantics(): ListSemantics | undefined {
    return this.#kind;
  }
}

type JsonMembers = Readonly<Record<string, unknown>>;

const hasOwn = (members: JsonMembers, name: string): boolean =>
  Object.hasOwn(members, name) && members[name] !== undefined;

/** Finding out the names of a member takes some steps, also where only their number is asked for. */
const stepsPerName = 6;

function namesOf(members: JsonMembers): string[] {
  const names = Object.keys(members);
  work(names.length * stepsPerName);
  return names.filter((name) => members[name] !== undefined);
}

/** An object whose members are all alike, or of no known schema. */
export class JsonMap extends MapValue {
  readonly #members: JsonMembers;
  readonly #adapt: Adapt;
  #names: readonly string[] | undefined;

  constructor(members: JsonMembers, adapt: Adapt) {
    super();
    this.#members = members;
    this.#adapt = adapt;
  }

  override get size(): number {
    return this.keys().length;
  }

  override get(key: Value): Value | undefined {
    return typeof key === 'string' && hasOwn(this.#members, key) ? this.#adapt(this.#members[key]) : undefined;
  }

  override keys(): readonly string[] {
    this.#names ??= namesOf(this.#members);
    return this.#names;
  }
}

export interface ObjectShape {
  readonly type: CelType;
  /** By the name that expressions use. */
  readonly fields: ReadonlyMap<string, { readonly json: string; readonly adapt: Adapt }>;
}

/** An object with the properties of a schema; what the schema does not have is not seen. */
export class JsonObjectValue extends MapValue {
  readonly #members: JsonMembers;
  readonly #shape: ObjectShape;

  constructor(members: JsonMembers, shape: ObjectShape) {
    super();
    this.#members = members;
    this.#shape = shape;
  }

  override get objectType(): CelType {
    return this.#shape.type;
  }

  override get size(): number {
    return this.keys().length;
  }

  override get(key: Value): Value | undefined {
    const field = typeof key === 'string' ? this.#shape.fields.get(key) : undefined;
    return field !== undefined && hasOwn(this.#members, field.json)
      ? field.adapt(this.#members[field.json])
      : undefined;
  }

  override has(key: Value): boolean {
    const field = typeof key === 'string' ? this.#shape.fields.get(key) : undefined;
    return field !== undefined && hasOwn(this.#members, field.json);
  }

  override keys(): string[] {
    const names: string[] = [];
    for (const [name, { json }] of this.#shape.fields) if (hasOwn(this.#members, json)) names.push(name);
    return names;
  }
}

/** JSON of no known schema: numbers without a fraction are integers. */
export function adaptAny(json: unknown): Value {
  switch (typeof json) {
    case 'string':
    case 'boolean':
      return json;
    case 'number':
      return Number.isSafeInteger(json) ? json : new Double(json);
    case 'bigint':
      return BigInt.asIntN(64, json) === json ? json : new Double(Number(json));
    default:
      return adaptComposite(json);
  }
}

function adaptComposite(json: unknown): Value {
  if (json === null || json === undefined) return null;
  if (Array.isArray(json)) return new JsonList(json, adaptAny);
  return json instanceof RawJson ? adaptRaw(json) : new JsonMap(json as JsonMembers, adaptAny);
}

/** Carried JSON is read when an expression first looks into it. */
const read = new WeakMap<RawJson, Value>();

function adaptRaw(raw: RawJson): Value {
  let value = read.get(raw);
  if (value === undefined) {
    value = parseCarried(raw);
    read.set(raw, value);
  }
  return value;
}

function parseCarried(raw: RawJson): Value {
  try {
    return raw.binary ? new CelError('carried data is not JSON') : adaptAny(parseJson(raw.text));
  } catch (error) {
    return new CelError(`carried data is not JSON: ${String(error)}`);
  }
}
