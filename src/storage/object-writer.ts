import type { GuardedResult, Store, WriteOptions } from './interface.ts';
import type { ObjectCodec, ObjectGuardedResult, ObjectWrite, StoredObject } from './objects.ts';
import type { StoredValue } from './decode-object.ts';

export interface ObjectWriterOptions {
  readonly store: Store;
  readonly codec: ObjectCodec;
  /** Makes the object of a write that was applied, or of what a failed guard found; the cache shares its own. */
  readonly toObject: (kv: StoredValue) => StoredObject;
}

export type ObjectDeleteResult =
  | { readonly applied: true; readonly revision: number }
  | { readonly applied: false; readonly current: StoredObject | undefined };

/** Writes go to the store, whichever storage they come through. */
export class ObjectWriter {
  readonly #store: Store;
  readonly #codec: ObjectCodec;
  readonly #toObject: ObjectWriterOptions['toObject'];

  constructor({ store, codec, toObject }: ObjectWriterOptions) {
    this.#store = store;
    this.#codec = codec;
    this.#toObject = toObject;
  }

  async create(key: string, bytes: Uint8Array, options: ObjectWrite): Promise<StoredObject> {
    const value = this.#codec.encode(key, bytes);
    const { revision } = await this.#store.create(key, value, writeOptions(options));
    return this.#toObject({ key, value: asBuffer(value), modRevision: revision });
  }

  async update(key: string, bytes: Uint8Array, expected: number, options: ObjectWrite): Promise<ObjectGuardedResult> {
    const value = this.#codec.encode(key, bytes);
    const result = await this.#store.update(key, value, expected, writeOptions(options));
    if (!result.applied) return this.#refused(result);
    return { applied: true, object: this.#toObject({ key, value: asBuffer(value), modRevision: result.revision }) };
  }

  async delete(key: string, expected: number, options: { signal?: AbortSignal }): Promise<ObjectDeleteResult> {
    const result = await this.#store.delete(key, expected, options);
    return result.applied ? { applied: true, revision: result.revision } : this.#refused(result);
  }

  #refused({ current }: GuardedResult & { applied: false }): { applied: false; current: StoredObject | undefined } {
    return { applied: false, current: current === undefined ? undefined : this.#toObject(current) };
  }
}

function writeOptions({ lease, signal, guards }: ObjectWrite): WriteOptions {
  return {
    ...(lease === undefined ? {} : { lease }),
    ...(signal === undefined ? {} : { signal }),
    ...(guards === undefined ? {} : { guards }),
  };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
