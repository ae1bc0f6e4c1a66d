import { metadataField } from '../../machinery/codec/splice.ts';
import { writeEnvelope } from '../../machinery/codec/envelope.ts';
import { parseJson } from '../../machinery/json/reader.ts';
import type { JsonObject } from '../../machinery/value.ts';
import { codecs } from '../../api/codecs.ts';

const brace = 0x7b;

/**
 * An object reduced to its metadata. In protobuf the first field of its message is all there is to it; custom objects
 * are JSON text.
 */
export function partialMessage(message: Buffer): Buffer {
  if (message[0] !== brace) return metadataField(message);
  const { metadata } = parseJson(message) as JsonObject;
  const codec = codecs.of(typeId);
  return codec.encode(codec.normalize({ metadata: metadata ?? {} }).value);
}

export const partialApiVersion = (version: string): string => `meta.k8s.io/${version}`;

const typeId = 'meta/v1.PartialObjectMetadata';

export const partialJson = (message: Buffer, version: string): Buffer => {
  const members = codecs.of(typeId).transcode(partialMessage(message));
  return Buffer.concat([
    Buffer.from(`{"kind":"PartialObjectMetadata","apiVersion":"${partialApiVersion(version)}",`),
    members.subarray(1),
  ]);
};

export const partialEnvelope = (message: Buffer, version: string): Buffer =>
  writeEnvelope(partialApiVersion(version), 'PartialObjectMetadata', partialMessage(message));
