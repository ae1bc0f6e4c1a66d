import { describe, expect, test } from 'vitest';
import { codecs } from '../../api/codecs.ts';
import { readStructural } from '../../machinery/structural/schema.ts';
import type { JsonObject, JsonValue } from '../../machinery/value.ts';
import { coerceMetadata } from './metadata.ts';

const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true };
const structural = readStructural({
  type: 'object',
  properties: {
    e: embedded,
    l: { type: 'array', items: embedded },
    m: { type: 'object', additionalProperties: embedded },
  },
});
const codec = codecs.of('meta/v1.ObjectMeta');

const coerce = (value: JsonValue, dropInvalid: boolean): JsonObject => {
  const object = structuredClone(value) as JsonObject;
  coerceMetadata(object, structural, { codec, dropInvalid });
  return object;
};

describe('objects embedded in custom objects', () => {
  test.each<{ name: string; object: JsonValue; message: string }>([
    {
      name: 'with a version that is a number',
      object: { e: { apiVersion: 1, kind: 'K' } },
      message: 'e.apiVersion: Invalid value: 1: must be a string',
    },
    {
      name: 'with a kind that is null, in a list',
      object: { l: [{ apiVersion: 'v1', kind: null }] },
      message: 'l[0].kind: Invalid value: "null": must be a string',
    },
    {
      name: 'with metadata that are a text, in a map',
      object: { m: { x: { apiVersion: 'v1', kind: 'K', metadata: 'x' } } },
      message: 'm[x].metadata: Invalid value: "x": json: cannot unmarshal string into Go value of type v1.ObjectMeta',
    },
    {
      name: 'with labels that are a text',
      object: { e: { apiVersion: 'v1', kind: 'K', metadata: { labels: 'x' } } },
      message:
        'e.metadata: Invalid value: map[string]interface {}{"labels":"x"}: json: cannot unmarshal string into Go ' +
        'struct field ObjectMeta.labels of type map[string]string',
    },
  ])('An embedded object $name cannot be read, and goes where it is stored already', ({ object, message }) => {
    expect(() => coerce(object, false)).toThrow(message);
    expect(() => coerce(object, true)).not.toThrow();
  });

  test('What cannot be read of a stored embedded object is dropped', () => {
    expect(coerce({ e: { apiVersion: 1, kind: 'K', metadata: { name: 'n', labels: 'x' } } }, true)).toMatchObject({
      e: { kind: 'K', metadata: { name: 'n' } },
    });
  });
});
