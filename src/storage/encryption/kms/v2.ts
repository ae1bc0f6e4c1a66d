/**
 * Values encrypted with keys that a KMS plugin keeps. Each names the key that it was encrypted with, itself encrypted
 * by the plugin, which is asked once for each; a value is stale when the plugin has gone on to another key of its own.
 */
import type { Clock } from '../../../base/clock.ts';
import { currentSpan, inChildSpan } from '../../../base/span.ts';
import { aesGcm, aesGcmWithDerivedKeys } from '../aes.ts';
import type { EncryptionObserver } from '../observer.ts';
import type { PlainValue, MaybePromise, ValueContext, ValueTransformer } from '../transformer.ts';
import { decodeEncryptedObject, encodeEncryptedObject, type EncryptedObject, KeySource } from './api.ts';
import { KeyCache } from './key-cache.ts';
import { keyProblem, type Plugin } from './plugin.ts';

export interface KmsV2Options {
  readonly plugin: Plugin;
  readonly clock: Clock;
  readonly observer: EncryptionObserver;
}

export class KmsV2 implements ValueTransformer {
  readonly #plugin: Plugin;
  readonly #observer: EncryptionObserver;
  readonly #keys: KeyCache;
  /** Questions to the plugin that are under way: many values have the same key. */
  readonly #asked = new Map<string, Promise<ValueTransformer>>();

  constructor({ plugin, clock, observer }: KmsV2Options) {
    this.#plugin = plugin;
    this.#observer = observer;
    this.#keys = new KeyCache(clock, (size) => observer.keysKept(plugin.name, size));
  }

  fromStorage(stored: Buffer, context: ValueContext): MaybePromise<PlainValue> {
    return this.#traced('TransformFromStorage', () => this.#fromStorage(stored, context));
  }

  toStorage(value: Uint8Array, context: ValueContext): MaybePromise<readonly Uint8Array[]> {
    return this.#traced('TransformToStorage', () => this.#toStorage(value, context));
  }

  #traced<T>(name: string, transform: () => MaybePromise<T>): MaybePromise<T> {
    const parent = currentSpan();
    if (parent === undefined) return transform();
    const about = { 'transformer.provider.name': this.#plugin.name };
    return inChildSpan(parent, `${name} with envelopeTransformer`, async () => transform(), about);
  }

  #fromStorage(stored: Buffer, context: ValueContext): MaybePromise<PlainValue> {
    const object = decoded(stored);
    // Nothing is read before the plugin has answered once.
    const { keyId, sourceType } = this.#plugin.key;
    const id = cacheId(object);
    const finish = (plain: PlainValue): PlainValue => ({
      value: plain.value,
      stale: plain.stale || object.keyId !== keyId || object.sourceType !== sourceType,
    });
    const use = (key: ValueTransformer): MaybePromise<PlainValue> => {
      this.#observer.keyUsed('from_storage', this.#plugin.name, object.keyId);
      const plain = key.fromStorage(object.data, context);
      return plain instanceof Promise ? plain.then(finish) : finish(plain);
    };
    const known = this.#keys.get(id);
    return known === undefined ? this.#ask(object, id).then(use) : use(known);
  }

  #toStorage(value: Uint8Array, context: ValueContext): MaybePromise<readonly Uint8Array[]> {
    const key = this.#plugin.keyForWriting;
    this.#keys.set(cacheId(key), key.transformer);
    const parts = key.transformer.toStorage(value, context) as readonly Uint8Array[];
    this.#observer.keyUsed('to_storage', this.#plugin.name, key.keyId);
    return encodeEncryptedObject(key, parts);
  }

  #ask(object: EncryptedObject, id: Buffer): Promise<ValueTransformer> {
    const name = id.toString('latin1');
    let asked = this.#asked.get(name);
    if (asked === undefined)
      this.#asked.set(name, (asked = this.#decrypt(object, id).finally(() => this.#asked.delete(name))));
    return asked;
  }

  async #decrypt(object: EncryptedObject, id: Buffer): Promise<ValueTransformer> {
    this.#observer.cacheMissed();
    const key = await this.#plugin.decrypt(object).catch((cause: unknown) => {
      throw new Error(`failed to decrypt DEK, error: ${(cause as Error).message}`, { cause });
    });
    const transformer = object.sourceType === KeySource.seed ? aesGcmWithDerivedKeys(key) : aesGcm(key);
    this.#keys.set(id, transformer);
    return transformer;
  }
}

function decoded(stored: Buffer): EncryptedObject {
  const object = decodeEncryptedObject(stored);
  if (object.data.length === 0) throw new Error('encrypted data is empty');
  const problem = keyProblem(object);
  if (problem !== undefined) throw new Error(problem);
  return object;
}

/** All that the decrypted key depends on, each part with its length before it. */
function cacheId({
  sourceType,
  source,
  keyId,
  annotations,
}: Pick<EncryptedObject, 'keyId' | 'source' | 'annotations' | 'sourceType'>): Buffer {
  const sorted = [...annotations].sort(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.concat([Buffer.of(sourceType), ...[source, keyId, ...sorted.flat()].flatMap(withLength)]);
}

function withLength(part: Buffer | string): [Buffer, Buffer] {
  const bytes = typeof part === 'string' ? Buffer.from(part) : part;
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return [length, bytes];
}
