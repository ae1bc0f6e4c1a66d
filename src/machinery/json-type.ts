import type { JsonValue } from './value.ts';

export type JsonType = 'null' | 'array' | 'string' | 'boolean' | 'integer' | 'number' | 'object';

/** The type of a value in the words of JSON Schema; a number without a fraction is an integer. */
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
      return Number.isInteger(value) ? 'integer' : 'number';
    default:
      return 'object';
  }
}
