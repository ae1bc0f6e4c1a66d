/** A program that signs service account tokens, on grpc-js: its keys, its limits and its failures are the test's. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as grpc from '@grpc/grpc-js';
import protobuf from 'protobufjs';

const proto = fileURLToPath(
  new URL('../../src/apiserver/authn/service-accounts/external/external-signer.proto', import.meta.url),
);
const schema = protobuf.loadSync(proto).lookupService('v1alpha1.ExternalJWTSigner');

export interface SignerKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly isExcluded: boolean;
}

export function signerKey(id: string, isExcluded = false): SignerKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { id, privateKey, publicKey, isExcluded };
}

export const encode = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url');

type Answer = Record<string, unknown>;

export class JwtSigner implements AsyncDisposable {
  readonly socket: string;
  readonly #directory: string;
  #server: grpc.Server | undefined;
  keys: SignerKey[] = [signerKey('first')];
  refreshHintSeconds = 3600;
  maxTokenExpirationSeconds = 24 * 3600;
  /** Paths of calls, in order. */
  readonly calls: string[] = [];
  /** What is said instead of what would be right, or thrown. */
  answers: { Sign?: (claims: string) => Answer; FetchKeys?: () => Answer; Metadata?: () => Answer } = {};

  private constructor(directory: string) {
    this.#directory = directory;
    this.socket = path.join(directory, 'signer.sock');
  }

  /** It does not listen yet. */
  static async create(): Promise<JwtSigner> {
    return new JwtSigner(await mkdtemp(path.join(tmpdir(), 'orch-signer-')));
  }

  async listen(): Promise<void> {
    const server = new grpc.Server();
    server.addService(
      definition(),
      Object.fromEntries(['Sign', 'FetchKeys', 'Metadata'].map((name) => [name, this.#handle(name as 'Sign')])),
    );
    await new Promise<void>((resolve, reject) =>
      server.bindAsync(`unix:${this.socket}`, grpc.ServerCredentials.createInsecure(), (error) =>
        error === null ? resolve() : reject(error),
      ),
    );
    this.#server = server;
  }

  async goAway(): Promise<void> {
    this.#server?.forceShutdown();
    this.#server = undefined;
    await rm(this.socket, { force: true });
  }

  /** A token as this program would sign it. */
  signed(
    claims: string,
    key = this.keys[0]!,
    header: object = { alg: 'ES256', kid: key.id, typ: 'JWT' },
  ): { header: string; signature: string } {
    const first = encode(header);
    return {
      header: first,
      signature: sign('sha256', Buffer.from(`${first}.${claims}`), {
        key: key.privateKey,
        dsaEncoding: 'ieee-p1363',
      }).toString('base64url'),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.goAway();
    await rm(this.#directory, { recursive: true });
  }

  #handle(name: 'Sign' | 'FetchKeys' | 'Metadata'): grpc.handleUnaryCall<{ claims: string }, Answer> {
    return (call, callback) => {
      this.calls.push(name);
      try {
        callback(null, this.answers[name]?.(call.request.claims) ?? this.#usual(name, call.request.claims));
      } catch (error) {
        callback({ code: grpc.status.UNKNOWN, details: (error as Error).message });
      }
    };
  }

  #usual(name: 'Sign' | 'FetchKeys' | 'Metadata', claims: string): Answer {
    if (name === 'Sign') return this.signed(claims);
    if (name === 'Metadata') return { maxTokenExpirationSeconds: this.maxTokenExpirationSeconds };
    return this.fetchedKeys();
  }

  fetchedKeys(): Answer {
    const keys = this.keys.map(({ id, publicKey, isExcluded }) => ({
      keyId: id,
      key: publicKey.export({ type: 'spki', format: 'der' }),
      excludeFromOidcDiscovery: isExcluded,
    }));
    return {
      keys,
      dataTimestamp: { seconds: 1_700_000_000, nanos: 500_000_000 },
      refreshHintSeconds: this.refreshHintSeconds,
    };
  }
}

/** The service of the schema as grpc-js wants it. */
function definition(): grpc.ServiceDefinition {
  return Object.fromEntries(
    schema.methodsArray.map((method) => {
      method.resolve();
      const { resolvedRequestType: request, resolvedResponseType: response } = method;
      return [
        method.name,
        {
          path: `/v1alpha1.ExternalJWTSigner/${method.name}`,
          requestStream: false,
          responseStream: false,
          requestSerialize: (value: object) => Buffer.from(request!.encode(request!.fromObject(value)).finish()),
          requestDeserialize: (bytes: Buffer) => request!.toObject(request!.decode(bytes), { defaults: true }),
          responseSerialize: (value: object) => Buffer.from(response!.encode(response!.fromObject(value)).finish()),
          responseDeserialize: (bytes: Buffer) => response!.toObject(response!.decode(bytes)),
        },
      ];
    }),
  );
}
