import { parseJson } from '../../json/reader.ts';
import type { JsonObject } from '../../value.ts';

export const schema = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { spec: { type: 'object', properties, ...more } },
});

export const object = (spec: unknown): JsonObject =>
  parseJson(JSON.stringify({ apiVersion: 'a/v1', kind: 'K', metadata: { name: 'n' }, spec })) as JsonObject;
