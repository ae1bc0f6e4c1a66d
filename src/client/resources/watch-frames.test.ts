import { describe, expect, test } from 'vitest';
import { codecs } from '../../api/codecs.ts';
import { schemas } from '../../api/schemas.ts';
import { createPartialReader } from '../../machinery/codec/index.ts';
import type { JsonObject } from '../../machinery/value.ts';
import { json, protobuf } from './object-codec.ts';
import { watchFrames } from './watch-frames.ts';

const typeMeta = { apiVersion: 'v1', kind: 'ConfigMap' };
const object = { metadata: { name: 'a', annotations: { b: 'c' } }, data: { d: 'e' } };

/** A field with a length in front. */
const field = (number: number, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([number * 8 + 2, (bytes.length & 127) | 128, bytes.length >> 7]), bytes]);

function protobufFrame(type: string, value: JsonObject): Buffer {
  const raw = field(1, codecs.of('core/v1.ConfigMap').encodeEnvelope(value, typeMeta));
  const event = Buffer.concat([field(1, Buffer.from(type)), field(2, raw)]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

const frames: Readonly<Record<string, (type: string) => Buffer>> = {
  [protobuf]: (type) => protobufFrame(type, object),
  [json]: (type) => Buffer.from(`${JSON.stringify({ type, object: { ...typeMeta, ...object } })}\n`),
};

describe('the events of a watch of which little is wanted', () => {
  const partial = createPartialReader(schemas, { 'meta/v1.ObjectMeta': ['name'], 'core/v1.ConfigMap': ['metadata'] });

  test.each(Object.keys(frames))('The objects come without the rest in %s', (encoding) => {
    const [event] = watchFrames(encoding, { partial }).push(frames[encoding]!('ADDED'));
    expect(event).toEqual({ type: 'ADDED', object: { ...typeMeta, metadata: { name: 'a' } } });
  });

  test.each(Object.keys(frames))('A bookmark comes whole in %s, because its annotations say what it is', (encoding) => {
    const [event] = watchFrames(encoding, { partial }).push(frames[encoding]!('BOOKMARK'));
    expect(event).toEqual({ type: 'BOOKMARK', object: { ...typeMeta, ...object } });
  });
});
