/**
 * Objects without the fields that nobody wants: their bytes are skipped, which is most of the time and of the memory
 * where a program reads little of many objects.
 */
import type { SchemaRegistry } from '../schema.ts';
import { isObject, type JsonObject, type JsonValue } from '../value.ts';
import { compilers } from './compilers.ts';
import { Links } from './link.ts';
import type { KeptFields } from './plan.ts';
import { maxMessages } from './size-limits.ts';
import { budget, maxDepth } from './wire-read.ts';

export interface PartialReader {
  /** As the codec of the type does. Throws `DecodeError`, and an error for a kept field that the type does not have. */
  decode(typeId: string, bytes: Buffer): JsonObject;
  /** Takes off the other fields where an object was read from JSON. */
  prune(typeId: string, value: JsonObject): void;
}

export function createPartialReader(schemas: SchemaRegistry, kept: KeptFields): PartialReader {
  const links = new Links(schemas, compilers, kept);
  const prune = (typeId: string, value: JsonObject): void => {
    const { members } = links.plans.of(typeId);
    if (Object.hasOwn(kept, typeId))
      for (const { json } of schemas.type(typeId).fields) if (!kept[typeId]!.includes(json)) delete value[json];
    for (const { element, json, shape } of members) {
      if (element.fieldType !== 'struct') continue;
      const child = shape === 'inline' ? value : value[json];
      for (const each of valuesIn(child, shape)) if (isObject(each)) prune(element.type, each);
    }
  };
  return {
    decode(typeId, bytes) {
      budget.messages = maxMessages(bytes.length);
      return links.of(typeId).decode(bytes, 0, bytes.length, {}, maxDepth);
    },
    prune,
  };
}

function valuesIn(value: JsonValue | undefined, shape: 'single' | 'list' | 'map' | 'inline'): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return [];
  return shape === 'map' ? Object.values(value as Readonly<Record<string, JsonValue>>) : [value];
}
