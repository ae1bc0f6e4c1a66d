import protobuf from 'protobufjs';
import type { JsonObject } from '../../../machinery/value.ts';

export function decoder(messages: string): (bytes: Uint8Array) => JsonObject {
  const type = protobuf.parse(`syntax = "proto2"; ${messages}`, { keepCase: true }).root.lookupType('Document');
  return (bytes) => type.toObject(type.decode(bytes)) as JsonObject;
}
