import { metadataField } from '../../machinery/codec/splice.ts';
import { writeEnvelope } from '../../machinery/codec/envelope.ts';
import { codecs } from '../../api/codecs.ts';

/** An object reduced to its metadata: the first field of its message is all there is to it. */
export const partialMessage = (message: Buffer): Buffer => metadataField(message);

export const partialApiVersion = (version: string): string => `meta.k8s.io/${version}`;

const typeId = 'meta/v1.PartialObjectMetadata';

export const partialJson = (message: Buffer, version: string): Buffer => {
  const members = codecs.of(typeId).transcode(partialMessage(message));
  return Buffer.concat([Buffer.from(`{"kind":"PartialObjectMetadata","apiVersion":"${partialApiVersion(version)}",`), members.subarray(1)]);
};

export const partialEnvelope = (message: Buffer, version: string): Buffer => writeEnvelope(partialApiVersion(version), 'PartialObjectMetadata', partialMessage(message));
