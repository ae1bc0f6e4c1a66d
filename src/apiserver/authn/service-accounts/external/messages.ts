/** The messages of `external-signer.proto` on the wire. */
import type { Method } from '../../../../grpc/call.ts';
import type { ProtoReader } from '../../../../base/protobuf/reader.ts';
import { ProtoWriter } from '../../../../base/protobuf/writer.ts';

export interface SignedParts {
  readonly header: string;
  readonly signature: string;
}

export interface FetchedKey {
  readonly keyId: string;
  readonly key: Buffer;
  readonly excludeFromOidcDiscovery: boolean;
}

export interface FetchedKeys {
  readonly keys: readonly FetchedKey[];
  /** Seconds since 1970. */
  readonly dataTimestamp: number | undefined;
  readonly refreshHintSeconds: bigint;
}

const service = '/v1alpha1.ExternalJWTSigner';

export const signMethod: Method<SignedParts> = {
  path: `${service}/Sign`,
  decode(reader) {
    let [header, signature] = ['', ''];
    while (reader.next(reader.end)) {
      if (reader.field === 1) header = reader.string();
      else if (reader.field === 2) signature = reader.string();
      else reader.skip();
    }
    return { header, signature };
  },
};

export const fetchKeysMethod: Method<FetchedKeys> = {
  path: `${service}/FetchKeys`,
  decode(reader) {
    const keys: FetchedKey[] = [];
    let dataTimestamp: number | undefined;
    let refreshHintSeconds = 0n;
    while (reader.next(reader.end)) {
      if (reader.field === 1) keys.push(decodeKey(reader, reader.message()));
      else if (reader.field === 2) dataTimestamp = decodeTimestamp(reader, reader.message());
      else if (reader.field === 3) refreshHintSeconds = reader.int64();
      else reader.skip();
    }
    return { keys, dataTimestamp, refreshHintSeconds };
  },
};

export const metadataMethod: Method<bigint> = {
  path: `${service}/Metadata`,
  decode(reader) {
    let maxTokenExpirationSeconds = 0n;
    while (reader.next(reader.end)) {
      if (reader.field === 1) maxTokenExpirationSeconds = reader.int64();
      else reader.skip();
    }
    return maxTokenExpirationSeconds;
  },
};

function decodeKey(reader: ProtoReader, end: number): FetchedKey {
  let keyId = '';
  let key: Buffer = Buffer.alloc(0);
  let excludeFromOidcDiscovery = false;
  while (reader.next(end)) {
    if (reader.field === 1) keyId = reader.string();
    else if (reader.field === 2) key = reader.bytes();
    else if (reader.field === 3) excludeFromOidcDiscovery = reader.bool();
    else reader.skip();
  }
  return { keyId, key, excludeFromOidcDiscovery };
}

function decodeTimestamp(reader: ProtoReader, end: number): number {
  let [seconds, nanos] = [0n, 0n];
  while (reader.next(end)) {
    if (reader.field === 1) seconds = reader.int64();
    else if (reader.field === 2) nanos = reader.int64();
    else reader.skip();
  }
  return Number(seconds) + Number(nanos) / 1e9;
}

export const noFields = (): Buffer => new ProtoWriter(16).finishGrpc();

export function encodeSign(claims: string): Buffer {
  const writer = new ProtoWriter(Buffer.byteLength(claims) + 32);
  writer.string(1, claims);
  return writer.finishGrpc();
}
