/**
 * An object in memory is its JSON value: the same for decoding, defaults, validation, patch and encoding.
 *
 * - Struct members have their JSON names; an absent member is `undefined` (never `null`).
 * - Maps are objects without a prototype, so `__proto__` and `constructor` are ordinary keys; writers sort keys.
 * - int64 and uint64 are numbers while that is exact, else bigints.
 * - bytes are base64 text, times RFC 3339 text, quantities their text, IntOrString a number or a string, as in JSON.
 * - JSON inside an object that the server only carries (RawExtension, FieldsV1) is a {@link RawJson}: its text stays as
 *   it came. Writers take a plain value in its place as well.
 *
 * Normalized values, as a codec returns them: a scalar that is no pointer and is zero is absent; a struct that is no
 * pointer is always there (at least `{}`); an empty list or map read from protobuf is absent.
 */
export type JsonScalar = string | number | bigint | boolean;
export type JsonValue = JsonScalar | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

/** An object without a prototype: safe for keys that users choose. */
export function createMap<T = JsonValue>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

/** A struct or a map; carried JSON ({@link RawJson}) is neither. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RawJson);
}

/**
 * JSON that is carried and not read: controllers compare its bytes, so they come back as they were sent.
 *
 * Immutable. It stands in a value where JSON has an object, typed as {@link JsonValue}; `json/` reads what is inside.
 */
export class RawJson {
  readonly text: string;
  /** The bytes are no UTF-8 (another encoding, put there by a protobuf client); `text` has one character per byte. */
  readonly binary: boolean;

  constructor(text: string, binary = false) {
    this.text = text;
    this.binary = binary;
  }

  /** Where a {@link JsonValue} is expected. */
  asValue(): JsonValue {
    return this as unknown as JsonObject;
  }
}
