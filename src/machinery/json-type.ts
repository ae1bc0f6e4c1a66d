import type { JsonValue } from './value.ts';

export type JsonType = 'null' | 'array' | 'string' | 'boolean' | 'integer' | 'number' | 'object';

/**
 * The type of a value in the words of JSON Schema. An integer has no fraction and fits 64 bits: what is larger has been
 * read as a floating-point number, as upstream reads it, and such a number is an integer up to 2^53.
 */
export function jsonTypeOf(value: JsonValue): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'bigint':
      return 'integer';
    case 'number':
      return Number.isSafeInteger(value) ? 'integer' : 'number';
    default:
      return 'object';
  }
}
