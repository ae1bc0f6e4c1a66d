/**
 * KMS plugins on unix sockets, served by the usual gRPC library: v2 and v1, with keys that the test rotates.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import grpc from '@grpc/grpc-js';
import protobuf from 'protobufjs';

const schema = protobuf.parse(
  `
  syntax = "proto3";
  message StatusRequest {}
  message StatusResponse { string version = 1; string healthz = 2; string key_id = 3; }
  message EncryptRequest { bytes plaintext = 1; string uid = 2; }
  message EncryptResponse { bytes ciphertext = 1; string key_id = 2; map<string, bytes> annotations = 3; }
  message DecryptRequest {
    bytes ciphertext = 1; string uid = 2; string key_id = 3; map<string, bytes> annotations = 4;
  }
  message DecryptResponse { bytes plaintext = 1; }
  message VersionRequest { string version = 1; }
  message VersionResponse { string version = 1; string runtime_name = 2; string runtime_version = 3; }
  message OldRequest { string version = 1; bytes value = 2; }
  message OldResponse { bytes value = 1; }
`,
  { keepCase: true },
).root;

type Message = Record<string, unknown>;
type Answer = (request: Message) => Message;

const annotation = 'nonce.kms.example.com';

export class KmsPlugin implements AsyncDisposable {
  /** The key that it encrypts with; it decrypts with all that it ever had. */
  keyId = 'key-1';
  healthz = 'ok';
  /** Calls by method. */
  readonly calls = new Map<string, number>();
  readonly endpoint: string;
  readonly #path: string;
  readonly #keys = new Map<string, Buffer>();
  #server: grpc.Server | undefined;

  constructor(path: string) {
    this.#path = path;
    this.endpoint = `unix://${path}`;
  }

  async start(): Promise<void> {
    const server = new grpc.Server();
    server.addService(
      service('v2', {
        Status: ['StatusRequest', 'StatusResponse'],
        Encrypt: ['EncryptRequest', 'EncryptResponse'],
        Decrypt: ['DecryptRequest', 'DecryptResponse'],
      }),
      {
        Status: this.#answer('Status', () => ({ version: 'v2', healthz: this.healthz, key_id: this.keyId })),
        Encrypt: this.#answer('Encrypt', ({ plaintext }) => this.#encrypt(plaintext as Buffer)),
        Decrypt: this.#answer('Decrypt', ({ ciphertext, key_id, annotations }) => ({
          plaintext: this.#decrypt(
            ciphertext as Buffer,
            key_id as string,
            (annotations as Record<string, Buffer>)[annotation]!,
          ),
        })),
      },
    );
    server.addService(
      service('v1beta1', {
        Version: ['VersionRequest', 'VersionResponse'],
        Encrypt: ['OldRequest', 'OldResponse'],
        Decrypt: ['OldRequest', 'OldResponse'],
      }),
      {
        Version: this.#answer('Version', () => ({
          version: 'v1beta1',
          runtime_name: 'test',
          runtime_version: '1.0.0',
        })),
        Encrypt: this.#answer('Encrypt', ({ value }) => {
          const { ciphertext, annotations } = this.#encrypt(value as Buffer) as {
            ciphertext: Buffer;
            annotations: Record<string, Buffer>;
          };
          return { value: Buffer.concat([annotations[annotation]!, ciphertext]) };
        }),
        Decrypt: this.#answer('Decrypt', ({ value }) => ({
          value: this.#decrypt((value as Buffer).subarray(12), this.keyId, (value as Buffer).subarray(0, 12)),
        })),
      },
    );
    await new Promise<void>((resolve, reject) =>
      server.bindAsync(this.endpoint, grpc.ServerCredentials.createInsecure(), (error) =>
        error === null ? resolve() : reject(error),
      ),
    );
    this.#server = server;
  }

  /** Ends its connections and stops listening. */
  async stop(): Promise<void> {
    this.#server?.forceShutdown();
    this.#server = undefined;
    await rm(this.#path, { force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #answer(method: string, answer: Answer): grpc.handleUnaryCall<Message, Message> {
    return ({ request }, callback) => {
      this.calls.set(method, (this.calls.get(method) ?? 0) + 1);
      try {
        callback(null, answer(request));
      } catch (error) {
        callback({ code: grpc.status.INTERNAL, details: (error as Error).message });
      }
    };
  }

  #encrypt(plaintext: Buffer): Message {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#keyOf(this.keyId), nonce);
    return {
      ciphertext: Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]),
      key_id: this.keyId,
      annotations: { [annotation]: nonce },
    };
  }

  #decrypt(ciphertext: Buffer, keyId: string, nonce: Buffer): Buffer {
    const decipher = createDecipheriv('aes-256-gcm', this.#keyOf(keyId), nonce).setAuthTag(ciphertext.subarray(-16));
    return Buffer.concat([decipher.update(ciphertext.subarray(0, -16)), decipher.final()]);
  }

  #keyOf(id: string): Buffer {
    let key = this.#keys.get(id);
    if (key === undefined) this.#keys.set(id, (key = randomBytes(32)));
    return key;
  }
}

function service(
  version: string,
  methods: Readonly<Record<string, readonly [string, string]>>,
): grpc.ServiceDefinition {
  return Object.fromEntries(
    Object.entries(methods).map(([name, [request, response]]) => [
      name,
      {
        path: `/${version}.KeyManagementService/${name}`,
        requestStream: false,
        responseStream: false,
        requestSerialize: write(request),
        requestDeserialize: read(request),
        responseSerialize: write(response),
        responseDeserialize: read(response),
      },
    ]),
  );
}

const write =
  (type: string) =>
  (message: object): Buffer =>
    Buffer.from(schema.lookupType(type).encode(message).finish());
const read =
  (type: string) =>
  (bytes: Buffer): object =>
    schema.lookupType(type).toObject(schema.lookupType(type).decode(bytes), { defaults: true });
