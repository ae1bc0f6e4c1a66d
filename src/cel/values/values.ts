/**
 * Values during evaluation. Texts, booleans and null are themselves; integers are numbers while that is exact, else
 * bigints, as in objects (`machinery/value.ts`); everything else is one of the classes here.
 *
 * A failed evaluation is a value too ({@link CelError}): `||` and `&&` may drop it, and returning one is cheap.
 */
import type { CelType } from '../check/types.ts';

export type Value =
  | string
  | boolean
  | null
  | number
  | bigint
  | Uint
  | Double
  | Uint8Array
  | Timestamp
  | Duration
  | ListValue
  | MapValue
  | TypeValue
  | Optional
  | Opaque
  | CelError;

export class CelError {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

export const noSuchOverload = new CelError('no such overload');
export const noSuchKey = (key: string): CelError => new CelError(`no such key: ${key}`);

export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

export class Double {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** Years 1 to 9999. */
export class Timestamp {
  /** Since 1970. */
  readonly seconds: number;
  readonly nanos: number;
  constructor(seconds: number, nanos: number) {
    this.seconds = seconds;
    this.nanos = nanos;
  }
}

export class Duration {
  /** Within an int64. */
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class TypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

export class Optional {
  readonly value: Value | undefined;
  constructor(value?: Value) {
    this.value = value;
  }
}

export const noValue = new Optional();

/** Values of a library: quantities, addresses, URLs. */
export abstract class Opaque {
  /** Shared by all values of the type. */
  abstract readonly type: CelType;
  abstract equals(other: Opaque): boolean;
}

export interface ListSemantics {
  /** Order does not count for equality, and `+` keeps every element once. */
  readonly kind: 'set' | 'map';
  readonly keys: readonly string[];
}

export abstract class ListValue {
  abstract readonly size: number;
  abstract at(index: number): Value;
  /** Of a list in a schema. */
  get semantics(): ListSemantics | undefined {
    return undefined;
  }

  *[Symbol.iterator](): Iterator<Value> {
    const { size } = this;
    for (let i = 0; i < size; i++) yield this.at(i);
  }
}

/** A list of values. */
export class ArrayList extends ListValue {
  readonly items: readonly Value[];
  override readonly size: number;
  constructor(items: readonly Value[]) {
    super();
    this.items = items;
    this.size = items.length;
  }

  override at(index: number): Value {
    return this.items[index]!;
  }
}

/** Two lists one after the other, without a copy: what `+` costs does not depend on the length. */
export class JoinedList extends ListValue {
  override readonly size: number;
  readonly #left: ListValue;
  readonly #right: ListValue;
  constructor(left: ListValue, right: ListValue) {
    super();
    this.#left = left;
    this.#right = right;
    this.size = left.size + right.size;
  }

  override at(index: number): Value {
    // A loop where lists lean to the left, as a chain of `+` makes them.
    let list: ListValue = this; // eslint-disable-line @typescript-eslint/no-this-alias
    let at = index;
    while (list instanceof JoinedList) {
      const left: ListValue = list.#left;
      if (at < left.size) list = left;
      else {
        at -= left.size;
        list = list.#right;
      }
    }
    return list.at(at);
  }
}

export const emptyList = new ArrayList([]);

/** A map, or an object whose fields can be read by name. */
export abstract class MapValue {
  abstract readonly size: number;
  /** Undefined when there is no such key. */
  abstract get(key: Value): Value | undefined;
  abstract keys(): readonly Value[];
  has(key: Value): boolean {
    return this.get(key) !== undefined;
  }

  /** Undefined for a map. */
  get objectType(): CelType | undefined {
    return undefined;
  }
}

/** Keys of different number types that are equal are the same key. Undefined for what can be no key. */
export function keyOf(key: Value): string | number | bigint | boolean | undefined {
  if (typeof key === 'string' || typeof key === 'number' || typeof key === 'boolean' || typeof key === 'bigint')
    return key;
  if (key instanceof Uint) return Number.isSafeInteger(Number(key.value)) ? Number(key.value) : key.value;
  if (key instanceof Double && Number.isInteger(key.value))
    return Number.isSafeInteger(key.value) ? key.value + 0 : BigInt(key.value);
  return undefined;
}

/** A map that an expression made. */
export class EntryMap extends MapValue {
  readonly #entries = new Map<unknown, readonly [key: Value, value: Value]>();

  /** False when the key is there already. Only while the map is being made. */
  insert(key: Value, value: Value): boolean {
    const canonical = keyOf(key);
    if (this.#entries.has(canonical)) return false;
    this.#entries.set(canonical, [key, value]);
    return true;
  }

  override get size(): number {
    return this.#entries.size;
  }

  override get(key: Value): Value | undefined {
    const canonical = keyOf(key);
    return canonical === undefined ? undefined : this.#entries.get(canonical)?.[1];
  }

  override keys(): Value[] {
    return Array.from(this.#entries.values(), ([key]) => key);
  }
}
