/** A `RangeAllocation` in the store: the bitmap of one range, shared by all servers. Written by compare and swap. */
import type { RangeAllocation } from '../../../../api/gen/types/core-v1.ts';
import { asJson } from '../../../../machinery/object-meta.ts';
import type { Companion, Store, WriteGuard } from '../../../../storage/interface.ts';
import type { InternalStorageCodec } from '../../../generic/internal-storage-codec.ts';

export interface RangeObjectOptions {
  readonly store: Store;
  /** `/registry/ranges/serviceips` */
  readonly key: string;
  readonly storageCodec: InternalStorageCodec;
}

/** One state of it. Revision 0: there is none yet. */
export interface RangeState {
  readonly revision: number;
  readonly range: string;
  readonly data: Buffer;
}

/** What a write rests on beside the state that it replaces, and what is written with it. */
export interface RangeWrite {
  readonly guards?: readonly WriteGuard[];
  readonly companion?: Companion;
}

export interface RangeOutcome {
  readonly applied: boolean;
  readonly state: RangeState;
}

const absent: RangeState = { revision: 0, range: '', data: Buffer.alloc(0) };

export class RangeObject {
  readonly key: string;
  readonly #options: RangeObjectOptions;

  constructor(options: RangeObjectOptions) {
    this.key = options.key;
    this.#options = options;
  }

  /** As it is now. */
  async read(): Promise<RangeState> {
    const { kv } = await this.#options.store.get(this.key);
    return kv === undefined ? absent : this.#open(kv.value, kv.modRevision);
  }

  /**
   * Replaces `previous`. When another server was faster nothing is written, and the answer is the state that it wrote;
   * when that is `previous` still, what the write rests on has changed.
   */
  async write(previous: RangeState, range: string, data: Buffer, options: RangeWrite = {}): Promise<RangeOutcome> {
    const { store, storageCodec } = this.#options;
    const object: RangeAllocation = { metadata: {}, range, data: data.toString('base64') };
    const value = storageCodec.encode(this.key, storageCodec.codec.encode(asJson(object)));
    const result = await store.update(this.key, value, previous.revision, options);
    if (result.applied) return { applied: true, state: { revision: result.revision, range, data } };
    return {
      applied: false,
      state: result.current === undefined ? absent : this.#open(result.current.value, result.current.modRevision),
    };
  }

  #open(value: Buffer, revision: number): RangeState {
    const { storageCodec } = this.#options;
    const { range = '', data = '' } = storageCodec.codec.decode(
      storageCodec.decode(this.key, value, revision).bytes,
    ) as unknown as RangeAllocation;
    return { revision, range, data: Buffer.from(data, 'base64') };
  }
}
