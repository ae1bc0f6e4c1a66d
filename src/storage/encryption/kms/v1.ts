/**
 * KMS v1, which is on its way out: each value has a key of its own, which the plugin encrypts. What is stored: the
 * length of the encrypted key (2 bytes), the encrypted key, the value as AES-GCM; older servers wrote AES-CBC.
 */
import type { Clock } from '../../../base/clock.ts';
import { aesCbc, aesGcm } from '../aes.ts';
import type { EncryptionObserver } from '../observer.ts';
import type { PlainValue, MaybePromise, ValueContext, ValueTransformer } from '../transformer.ts';
import { encodeRequest, v1 } from './api.ts';
import type { KmsClient } from './client.ts';
import { generateKey } from './generate-key.ts';

const apiVersion = 'v1beta1';
const keyBytes = 32;
const lengthBytes = 2;
const maxKeyBytes = 0xffff;
const answerMs = { well: 20_000, unwell: 3_000 };

/** The plugin behind it, which is asked for its version before anything else. */
export class PluginV1 {
  readonly name: string;
  readonly #client: KmsClient;
  readonly #clock: Clock;
  #version: Promise<void> | undefined;
  #answer: { readonly error: Error | undefined; readonly at: number } | undefined;
  #checking: Promise<void> = Promise.resolve();

  constructor({ name, client, clock }: { readonly name: string; readonly client: KmsClient; readonly clock: Clock }) {
    this.name = name;
    this.#client = client;
    this.#clock = clock;
  }

  async encrypt(plain: Buffer): Promise<Buffer> {
    await this.#checkVersion();
    return (
      await this.#client.call(
        v1.encrypt,
        encodeRequest([
          [1, apiVersion],
          [2, plain],
        ]),
      )
    ).cipher;
  }

  async decrypt(cipher: Buffer): Promise<Buffer> {
    await this.#checkVersion();
    return (
      await this.#client.call(
        v1.decrypt,
        encodeRequest([
          [1, apiVersion],
          [2, cipher],
        ]),
      )
    ).plain;
  }

  /** Rejects when the plugin cannot read what it has written. */
  check(): Promise<void> {
    const checking = this.#checking.then(() => this.#checkOnce());
    this.#checking = checking.catch(() => undefined);
    return checking;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.#client.close();
    return Promise.resolve();
  }

  async #checkOnce(): Promise<void> {
    const known = this.#answer;
    if (
      known !== undefined &&
      this.#clock.now() - known.at < (known.error === undefined ? answerMs.well : answerMs.unwell)
    ) {
      if (known.error !== undefined) throw known.error;
      return;
    }
    const failed =
      (part: string) =>
      (cause: unknown): never => {
        this.#answer = { error: cause as Error, at: this.#clock.now() };
        throw new Error(
          `failed to perform ${part} section of the healthz check for KMS Provider ${this.name}, ` +
            `error: ${(cause as Error).message}`,
          { cause },
        );
      };
    const cipher = await this.encrypt(Buffer.from('ping')).catch(failed('encrypt'));
    await this.decrypt(cipher).catch(failed('decrypt'));
    this.#answer = { error: undefined, at: this.#clock.now() };
  }

  #checkVersion(): Promise<void> {
    this.#version ??= this.#askVersion().catch((error: unknown) => {
      this.#version = undefined;
      throw error;
    });
    return this.#version;
  }

  async #askVersion(): Promise<void> {
    const { version } = await this.#client
      .call(v1.version, encodeRequest([[1, apiVersion]]))
      .catch((cause: unknown) => {
        throw new Error(`failed get version from remote KMS provider: ${(cause as Error).message}`, { cause });
      });
    if (version !== apiVersion)
      throw new Error(`KMS provider api version ${version} is not supported, only ${apiVersion} is supported now`);
  }
}

export interface KmsV1Options {
  readonly plugin: PluginV1;
  /** How many decrypted keys are kept; negative for none. */
  readonly cacheSize: number;
  readonly observer: EncryptionObserver;
}

export class KmsV1 implements ValueTransformer {
  readonly #options: KmsV1Options;
  /** By their encrypted bytes, the most recently used at the end. */
  readonly #keys = new Map<string, ValueTransformer>();

  constructor(options: KmsV1Options) {
    this.#options = options;
  }

  fromStorage(stored: Buffer, context: ValueContext): MaybePromise<PlainValue> {
    const { observer, plugin, cacheSize } = this.#options;
    observer.arrived('from_storage');
    const length = stored.length < lengthBytes ? Infinity : stored.readUInt16BE();
    if (stored.length < lengthBytes + length)
      throw new Error('invalid data encountered by envelope transformer: failed to read uint16 length prefixed data');
    const encryptedKey = stored.subarray(lengthBytes, lengthBytes + length);
    const data = stored.subarray(lengthBytes + length);
    const known = this.#find(encryptedKey);
    if (known !== undefined) return known.fromStorage(data, context);
    if (cacheSize > 0) observer.cacheMissed();
    return plugin.decrypt(encryptedKey).then((key) => this.#keep(encryptedKey, key).fromStorage(data, context));
  }

  async toStorage(value: Uint8Array, context: ValueContext): Promise<readonly Uint8Array[]> {
    const { observer, plugin } = this.#options;
    observer.arrived('to_storage');
    const key = generateKey(keyBytes, observer);
    const encryptedKey = await plugin.encrypt(key);
    if (encryptedKey.length > maxKeyBytes)
      throw new Error(`cryptobyte: pending child length ${encryptedKey.length} exceeds 2-byte length prefix`);
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt16BE(encryptedKey.length);
    return [length, encryptedKey, ...(await this.#keep(encryptedKey, key).toStorage(value, context))];
  }

  #find(encryptedKey: Buffer): ValueTransformer | undefined {
    const name = encryptedKey.toString('base64');
    const key = this.#keys.get(name);
    if (key !== undefined && this.#keys.delete(name)) this.#keys.set(name, key);
    return key;
  }

  #keep(encryptedKey: Buffer, key: Buffer): ValueTransformer {
    const { cacheSize, observer } = this.#options;
    const transformer = gcmOrElseCbc(key);
    if (cacheSize <= 0) return transformer;
    this.#keys.set(encryptedKey.toString('base64'), transformer);
    if (this.#keys.size > cacheSize) this.#keys.delete(this.#keys.keys().next().value!);
    observer.cacheFilled(this.#keys.size / cacheSize);
    return transformer;
  }
}

/** Writes GCM; what servers before 1.25 wrote is CBC, and stale. */
function gcmOrElseCbc(key: Buffer): ValueTransformer {
  const [gcm, cbc] = [aesGcm(key), aesCbc(key)];
  return {
    fromStorage(stored, context) {
      let first: Error;
      try {
        return gcm.fromStorage(stored, context);
      } catch (error) {
        first = error as Error;
      }
      try {
        return { value: (cbc.fromStorage(stored, context) as PlainValue).value, stale: true };
      } catch (second) {
        throw new Error(`[${first.message}, ${(second as Error).message}]`, { cause: first });
      }
    },
    toStorage: (value, context) => gcm.toStorage(value, context),
  };
}
