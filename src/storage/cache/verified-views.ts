/**
 * Reads at the most recent version where the store's progress cannot be believed (etcd before 3.4.31 and 3.5.13,
 * etcd#15220). The cache then does not learn by itself that a revision of another resource has passed it.
 *
 * A read asks for the store's revision first, together with the others that wait. If the cache is not there and does
 * not get there soon, one linearizable list of the keys in question is shared, and cached objects answer for all keys
 * whose revision is the same. Where all of them were, this is remembered until the next change.
 */
import { abortable } from '../../base/abortable.ts';
import { copyText } from '../../base/copy-text.ts';
import { isStorageError } from '../storage-error.ts';
import type { KeyValue, Store } from '../interface.ts';
import type { ObjectCodec, StoredObject } from '../objects.ts';
import { decodeObject } from '../decode-object.ts';
import { readPages } from '../read-pages.ts';
import type { KeyRange } from '../selection.ts';
import { createSharedCalls } from '../shared-call.ts';
import type { Freshness } from './freshness.ts';
import type { ReadonlyObjectIndex } from './object-index.ts';
import type { CacheState } from './state.ts';

export interface VerifiedViewsOptions {
  readonly store: Store;
  readonly codec: ObjectCodec;
  readonly state: CacheState;
  readonly freshness: Freshness;
  /** The shared question for the store's revision. */
  readonly probe: () => Promise<number>;
}

/** Objects as they were at a revision, or the cache's state itself, which moves on: to be read at once. */
export interface View {
  readonly revision: number;
  readonly index: ReadonlyObjectIndex;
  /** Only the range that was asked for is known to be of that revision. */
  readonly partial?: boolean;
}

export interface VerifiedObject {
  /** The object is not older than this. */
  readonly revision: number;
  readonly object: StoredObject | undefined;
}

/** Own events usually arrive within this time; a list of keys costs more than to wait for them. */
const graceMs = 5;

export class VerifiedViews {
  readonly #options: VerifiedViewsOptions;
  /** Range to the revision at which the cache was seen to be equal, as long as the cache's version is the same. */
  readonly #proven = new Map<string, number>();
  #provenVersion = -1;
  #soon: { readonly revision: number; readonly reached: Promise<boolean> } | undefined;
  readonly #views: (prefix: string) => Promise<View>;
  readonly #objects: (key: string) => Promise<VerifiedObject>;

  constructor(options: VerifiedViewsOptions) {
    this.#options = options;
    this.#views = createSharedCalls((prefix) => this.#compareAgain({ prefix }));
    this.#objects = createSharedCalls((key) => this.#getFromStore(key));
  }

  async get(key: string, signal?: AbortSignal): Promise<VerifiedObject> {
    const { state, probe } = this.#options;
    const revision = await abortable(probe(), signal);
    if (state.revision >= revision || this.#isProven(key, revision)) return { revision, object: state.get(key) };
    return abortable(this.#objects(key), signal);
  }

  async view(range: KeyRange, signal?: AbortSignal): Promise<View> {
    const { state, probe } = this.#options;
    const revision = await abortable(probe(), signal);
    if (state.revision >= revision) return state;
    if (this.#isProven(range.prefix, revision)) return { revision, index: state.index.snapshot(), partial: true };
    if (await this.#reachesSoon(revision)) return state;
    return abortable(this.#views(range.prefix), signal);
  }

  /** Those that wait for one revision give up together, and then share their list. */
  #reachesSoon(revision: number): Promise<boolean> {
    if (this.#soon?.revision === revision) return this.#soon.reached;
    const reached = this.#options.freshness.reachesSoon(revision, graceMs);
    const soon = { revision, reached };
    this.#soon = soon;
    return reached.finally(() => {
      if (this.#soon === soon) this.#soon = undefined;
    });
  }

  #isProven(prefix: string, revision: number): boolean {
    if (this.#provenVersion !== this.#options.state.version) return false;
    for (const [proven, at] of this.#proven) if (at >= revision && prefix.startsWith(proven)) return true;
    return false;
  }

  async #getFromStore(key: string): Promise<VerifiedObject> {
    const { revision, kv } = await this.#options.store.get(key);
    return { revision, object: kv === undefined ? undefined : this.#options.state.share(kv) };
  }

  /** A read at the most recent version does not fail because a view in work was dropped meanwhile. */
  async #compareAgain(range: KeyRange): Promise<View> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#compare(range);
      } catch (error) {
        if (!isStorageError(error, 'Compacted') || attempt === maxAttempts) throw error;
      }
    }
  }

  async #compare(range: KeyRange): Promise<View> {
    const { store, state } = this.#options;
    const listed: KeyValue[] = [];
    let revision = 0;
    for await (const page of readPages(store, { range, keysOnly: true })) {
      revision = page.revision;
      listed.push(...page.kvs);
    }
    const index = state.index.snapshot();
    const version = state.version;
    const isEqual = await this.#patch({ index, range, listed, revision });
    if (isEqual) this.#prove(range, revision, version);
    return { revision, index, partial: true };
  }

  /** Makes the index what the store has listed; returns whether it was so already. */
  async #patch({
    index,
    range,
    listed,
    revision,
  }: {
    index: ReturnType<ReadonlyObjectIndex['snapshot']>;
    range: KeyRange;
    listed: readonly KeyValue[];
    revision: number;
  }): Promise<boolean> {
    const { store, codec } = this.#options;
    const gone = new Set<string>();
    index.visit(range, undefined, (object) => {
      gone.add(object.key);
      return true;
    });
    const other: KeyValue[] = [];
    for (const kv of listed) {
      gone.delete(kv.key);
      if (index.get(kv.key)?.revision !== kv.modRevision) other.push(kv);
    }
    const fetched = await Promise.all(other.map((kv) => store.get(kv.key, { revision })));
    for (const { kv } of fetched) if (kv !== undefined) index.set(decodeObject(codec, kv));
    for (const key of gone) index.delete(key);
    return other.length === 0 && gone.size === 0;
  }

  #prove(range: KeyRange, revision: number, version: number): void {
    if (this.#provenVersion !== version) this.#proven.clear();
    this.#provenVersion = version;
    if (this.#proven.size >= maxProven) this.#proven.clear();
    if (range.prefix.length <= maxPrefixLength) this.#proven.set(copyText(range.prefix), revision);
  }
}

const maxProven = 64;
/** A namespace that a client asks for may have any name. */
const maxPrefixLength = 1024;
const maxAttempts = 3;
