/** The log of what repairs have released of one range, in the store. See `release-log.ts`. */
import type { Companion, Store, WriteGuard } from '../../../../storage/interface.ts';
import { type ReleasedNumbers, ReleaseLog } from './release-log.ts';

/** One state of it. Revision 0: there is none yet. */
export interface ReleaseState {
  readonly revision: number;
  readonly log: ReleaseLog;
}

export class StoredReleases {
  readonly #store: Store;
  readonly #key: string;
  #lastRead: ReleaseState | undefined;

  /** @param key `/registry/range-releases/serviceips` */
  constructor(store: Store, key: string) {
    this.#store = store;
    this.#key = key;
  }

  /** As it is now. */
  async read(): Promise<ReleaseState> {
    const { kv } = await this.#store.get(this.#key);
    const revision = kv?.modRevision ?? 0;
    this.#lastRead = { revision, log: kv === undefined ? ReleaseLog.empty : ReleaseLog.read(kv.value, revision) };
    return this.#lastRead;
  }

  /** As it was last read, for writes that are guarded with {@link guardOf}. */
  async atHand(): Promise<ReleaseState> {
    return this.#lastRead ?? (await this.read());
  }

  /** Nothing was released since this state. */
  guardOf({ revision }: ReleaseState): WriteGuard {
    return { prefix: this.#key, unchangedSince: revision };
  }

  /** Writes down with a write of the range what it releases. */
  companionOf({ revision, log }: ReleaseState, numbers: ReleasedNumbers): Companion {
    return { key: this.#key, value: log.with(numbers), expected: revision };
  }
}
