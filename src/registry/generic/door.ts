/**
 * The door between stored values and objects: bytes come in once, in whatever form they were stored, and are from then
 * on in normal form (storage version, defaulted, protobuf). See `docs/architecture.md`, "Bytes are the currency".
 */
import type { Codecs } from '../../machinery/codec/index.ts';
import { readEnvelope, writeEnvelope } from '../../machinery/codec/envelope.ts';
import type { CardScanner } from '../../machinery/codec/scan.ts';
import type { JsonObject } from '../../machinery/value.ts';
import type { ObjectCodec, StoredObject } from '../../storage/objects.ts';
import type { VersionForm } from './version-form.ts';

export interface DoorOptions {
  readonly codecs: Codecs;
  /** What is stored now. */
  readonly stored: VersionForm;
  /** Versions that older servers may have stored, by apiVersion. */
  readonly others: (apiVersion: string, kind: string) => VersionForm | undefined;
  readonly scan: CardScanner;
  /** Reads a stored JSON or YAML value. */
  readonly parseText: (text: Buffer, form: (apiVersion: string, kind: string) => VersionForm | undefined) => JsonObject;
  /** `--storage-media-type` */
  readonly mediaType: StorageMediaType;
  readonly writeText: (bytes: Uint8Array, form: VersionForm, mediaType: StorageMediaType) => Buffer;
}

export type StorageMediaType = 'application/vnd.kubernetes.protobuf' | 'application/json' | 'application/yaml';

export function createDoor(options: DoorOptions): ObjectCodec {
  const { stored, scan } = options;
  const object = (key: string, bytes: Buffer, revision: number): StoredObject => ({ key, revision, bytes, card: scan(bytes) });
  return {
    open: (key, value, revision) => object(key, normalForm(options, value), revision),
    seal: (_key, bytes) => (options.mediaType === 'application/vnd.kubernetes.protobuf' ? writeEnvelope(stored.apiVersion, stored.kind, bytes) : options.writeText(bytes, stored, options.mediaType)),
  };
}
