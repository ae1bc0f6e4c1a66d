/**
 * What is said to KMS plugins, and what is stored for KMS v2, as protobuf.
 * @see {@link https://kubernetes.io/docs/tasks/administer-cluster/kms-provider/ | Using a KMS provider for data
 *   encryption}
 */
import type { Method } from '../../../grpc/call.ts';
import { ProtoReader } from '../../../base/protobuf/reader.ts';
import { ProtoWriter } from '../../../base/protobuf/writer.ts';

const noBytes: Buffer = Buffer.alloc(0);

export type Annotations = ReadonlyMap<string, Buffer>;

/** How the key of a value is made from what the plugin decrypts. */
export const KeySource = {
  /** It is the AES-GCM key itself. */
  aesGcmKey: 0,
  /** It is the seed from which each value's key is derived. */
  seed: 1,
} as const;

/** A stored value of KMS v2, behind its prefix. */
export interface EncryptedObject {
  readonly data: Buffer;
  readonly keyId: string;
  readonly source: Buffer;
  readonly annotations: Annotations;
  readonly sourceType: number;
}

const overheadBytes = 64;

export function encodeEncryptedObject(
  { keyId, source, annotations, sourceType }: Omit<EncryptedObject, 'data'>,
  data: readonly Uint8Array[],
): readonly Uint8Array[] {
  const length = data.reduce((sum, part) => sum + part.length, 0);
  const writer = new ProtoWriter(keyId.length * 3 + source.length + annotationBytes(annotations) + overheadBytes);
  if (sourceType !== 0) writer.uint(5, sourceType);
  writeAnnotations(writer, 4, annotations);
  writer.bytes(3, source);
  writer.string(2, keyId);
  const head = new ProtoWriter(overheadBytes);
  head.prefix(1, length);
  return [head.finish(), ...data, writer.finish()];
}

/** Throws for what is no protobuf. Unknown fields are skipped. */
export function decodeEncryptedObject(bytes: Buffer): EncryptedObject {
  let data = noBytes;
  let keyId = '';
  let source = noBytes;
  let sourceType = 0;
  const annotations = new Map<string, Buffer>();
  const reader = new ProtoReader(bytes, 0, bytes.length);
  while (reader.next(reader.end)) {
    switch (reader.field) {
      case 1:
        data = slice(reader, bytes);
        break;
      case 2:
        keyId = reader.string();
        break;
      case 3:
        source = reader.bytes();
        break;
      case 4:
        readAnnotation(reader, annotations);
        break;
      case 5:
        sourceType = reader.uint();
        break;
      default:
        reader.skip();
    }
  }
  return { data, keyId, source, annotations, sourceType };
}

/** Only to be decrypted from, so without a copy. */
function slice(reader: ProtoReader, from: Buffer): Buffer {
  const end = reader.message();
  const part = from.subarray(reader.at, end);
  reader.at = end;
  return part;
}

export interface PluginStatus {
  readonly version: string;
  readonly healthz: string;
  readonly keyId: string;
}

export interface Encrypted {
  readonly ciphertext: Buffer;
  readonly keyId: string;
  readonly annotations: Annotations;
}

export const v2 = {
  status: {
    path: '/v2.KeyManagementService/Status',
    decode: (reader) => ({
      version: '',
      healthz: '',
      keyId: '',
      ...fields(reader, { 1: ['version', text], 2: ['healthz', text], 3: ['keyId', text] }),
    }),
  } satisfies Method<PluginStatus>,
  encrypt: {
    path: '/v2.KeyManagementService/Encrypt',
    decode(reader) {
      const annotations = new Map<string, Buffer>();
      const annotation = (from: ProtoReader): Annotations => (readAnnotation(from, annotations), annotations);
      return {
        ciphertext: noBytes,
        keyId: '',
        annotations,
        ...fields(reader, { 1: ['ciphertext', bytes], 2: ['keyId', text], 3: ['annotations', annotation] }),
      };
    },
  } satisfies Method<Encrypted>,
  decrypt: {
    path: '/v2.KeyManagementService/Decrypt',
    decode: (reader) => ({ plaintext: noBytes, ...fields(reader, { 1: ['plaintext', bytes] }) }),
  } satisfies Method<{ plaintext: Buffer }>,
};

export const v1 = {
  version: {
    path: '/v1beta1.KeyManagementService/Version',
    decode: (reader) => ({ version: '', ...fields(reader, { 1: ['version', text] }) }),
  } satisfies Method<{ version: string }>,
  encrypt: {
    path: '/v1beta1.KeyManagementService/Encrypt',
    decode: (reader) => ({ cipher: noBytes, ...fields(reader, { 1: ['cipher', bytes] }) }),
  } satisfies Method<{ cipher: Buffer }>,
  decrypt: {
    path: '/v1beta1.KeyManagementService/Decrypt',
    decode: (reader) => ({ plain: noBytes, ...fields(reader, { 1: ['plain', bytes] }) }),
  } satisfies Method<{ plain: Buffer }>,
};

/** A request's fields by number: texts and bytes. */
export function encodeRequest(members: readonly (readonly [number, string | Uint8Array | Annotations])[]): Buffer {
  const capacity = members.reduce(
    (sum, [, value]) =>
      sum +
      overheadBytes +
      (typeof value === 'string'
        ? value.length * 3
        : value instanceof Uint8Array
          ? value.length
          : annotationBytes(value)),
    overheadBytes,
  );
  const writer = new ProtoWriter(capacity);
  for (const [field, value] of members.toReversed()) {
    if (typeof value === 'string') writer.string(field, value);
    else if (value instanceof Uint8Array) writer.bytes(field, value);
    else writeAnnotations(writer, field, value);
  }
  return writer.finishGrpc();
}

const text = (reader: ProtoReader): string => reader.string();
const bytes = (reader: ProtoReader): Buffer => reader.bytes();

type Member = readonly [name: string, read: (reader: ProtoReader) => unknown];

function fields(reader: ProtoReader, members: Readonly<Record<number, Member>>): object {
  const result: Record<string, unknown> = {};
  while (reader.next(reader.end)) {
    const member = members[reader.field];
    if (member === undefined) reader.skip();
    else result[member[0]] = member[1](reader);
  }
  return result;
}

const annotationBytes = (annotations: Annotations): number =>
  [...annotations].reduce((sum, [key, value]) => sum + key.length * 3 + value.length + overheadBytes, 0);

/** A map is a list of entries: key and value. */
function writeAnnotations(writer: ProtoWriter, field: number, annotations: Annotations): void {
  for (const [key, value] of [...annotations].toReversed()) {
    const end = writer.length;
    writer.bytes(2, value);
    writer.string(1, key);
    writer.message(field, end);
  }
}

function readAnnotation(reader: ProtoReader, into: Map<string, Buffer>): void {
  const end = reader.message();
  let key = '';
  let value = noBytes;
  while (reader.next(end)) {
    if (reader.field === 1) key = reader.string();
    else if (reader.field === 2) value = reader.bytes();
    else reader.skip();
  }
  into.set(key, value);
}
