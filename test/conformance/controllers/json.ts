import type { JsonObject, JsonValue } from '../../../src/machinery/value.ts';

/** Members of an object that was read from JSON: none is undefined. */
export const membersOf = (object: JsonObject): [string, JsonValue][] => Object.entries(object) as [string, JsonValue][];
