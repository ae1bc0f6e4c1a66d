/**
 * An object in memory is its JSON value: one form for decoding, defaults, validation, patch and encoding.
 *
 * - Struct members have their JSON names; an absent member is `undefined` (never `null`).
 * - Maps are objects without a prototype, so `__proto__` and `constructor` are ordinary keys; writers sort keys.
 * - int64 and uint64 are numbers while that is exact, else bigints.
 * - bytes are base64 text, times RFC 3339 text, quantities their text, IntOrString a number or a string, as in JSON.
 *
 * Normal form, as a codec returns it: a scalar that is no pointer and is zero is absent; a struct that is no pointer
 * is always there (at least `{}`); an empty list or map read from protobuf is absent.
 */
export type JsonScalar = string | number | bigint | boolean;
export type JsonValue = JsonScalar | null | JsonValue[] | JsonObject;
export interface JsonObject { [key: string]: JsonValue | undefined }

/** An object without a prototype: safe for keys that users choose. */
export function createMap<T = JsonValue>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
