/**
 * Random histories against a model: two caches with small windows over one store that is written to past them, goes
 * away, hangs and is compacted. Whatever is read must be the model's state at the revision it claims, and not older
 * than what was asked for; whatever is watched must be the model's changes, complete and in order, or end with a
 * reason.
 */
import { describe, expect, test } from 'vitest';
import { isStorageError } from '../storage-error.ts';
import type { Selection, StoredObject } from '../objects.ts';
import { filterOf, inRange, rangeOf } from '../selection.ts';
import { createJsonCodec } from '../testing/json-codec.ts';
import { labelled, lineOf, Watched } from '../testing/objects/support.ts';
import type { WatchCache } from './watch-cache.ts';
import type { CacheUnderTest } from './testing/support.ts';
import { cacheUnderTest, keyOf, mostRecent, prefix, settle } from './testing/support.ts';

const keys = { prefix, namespaced: true };
const codec = createJsonCodec();

const selections: readonly (Selection | undefined)[] = [
  undefined,
  { namespace: 'a' },
  { namespace: 'b', name: 'n1' },
  { name: 'n2' },
  labelled('x'),
  labelled('y', { namespace: 'a' }),
  { fieldEquals: new Map([['spec.nodeName', 'node1']]) },
  { fieldEquals: new Map([['spec.nodeName', '']]), namespace: 'b' },
];

class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(bound: number): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647;
    return this.#state % bound;
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }
}

/** Every change there was, as the store acknowledged it. */
class Model {
  readonly changes: {
    revision: number;
    key: string;
    object: StoredObject | undefined;
    previous: StoredObject | undefined;
  }[] = [];
  /** The store's revision after the last write, also those of other resources. */
  revision = 1;
  compacted = 0;

  at(revision: number): Map<string, StoredObject> {
    const state = new Map<string, StoredObject>();
    for (const change of this.changes) {
      if (change.revision > revision) break;
      if (change.object === undefined) state.delete(change.key);
      else state.set(change.key, change.object);
    }
    return state;
  }

  list(revision: number, selection: Selection | undefined): string[] {
    const filter = filterOf(keys, selection);
    const range = rangeOf(keys, selection);
    const selected = [...this.at(revision).values()].filter(
      (object) => inRange(range, object.key) && (filter?.(object.attributes) ?? true),
    );
    return selected.map(({ key, revision: at }) => `${key} @${at}`).sort();
  }

  events(after: number, selection: Selection | undefined): string[] {
    const filter = filterOf(keys, selection) ?? ((): boolean => true);
    const range = rangeOf(keys, selection);
    return this.changes
      .filter((change) => change.revision > after && inRange(range, change.key))
      .flatMap(({ revision, object, previous }) => {
        const [is, was] = [
          object !== undefined && filter(object.attributes),
          previous !== undefined && filter(previous.attributes),
        ];
        if (!is && !was) return [];
        return [
          `${is ? (was ? 'MODIFIED' : 'ADDED') : 'DELETED'} ${(object ?? previous)!.attributes.name} @${revision}`,
        ];
      });
  }
}

interface OpenWatch {
  readonly watched: Watched;
  readonly selection: Selection | undefined;
  /** Undefined where it began with the state. */
  readonly after: number | undefined;
}

class Run {
  readonly #random: Random;
  readonly #t: CacheUnderTest;
  readonly #caches: readonly WatchCache[];
  readonly #model = new Model();
  readonly #watches: OpenWatch[] = [];
  readonly #pending: Promise<void>[] = [];
  readonly #failures: unknown[] = [];

  constructor(seed: number, t: CacheUnderTest) {
    this.#random = new Random(seed);
    this.#t = t;
    const delays = new Random(seed + 1);
    t.store.delay = async () => {
      for (let turns = delays.below(4); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
    };
    t.store.oneRevisionPerBatch = delays.below(2) === 0;
    const windowLimits = { minEvents: 3, maxEvents: this.#random.of([10, 60]), maxAgeMs: 3_000 };
    this.#caches = [0, 1].map(() => t.open({ windowLimits, indexedFields: ['spec.nodeName'] }));
  }

  async play(steps: number): Promise<void> {
    const acts = [
      this.#write,
      this.#write,
      this.#write,
      this.#write,
      this.#write,
      this.#elsewhere,
      this.#read,
      this.#read,
      this.#readPast,
      this.#watch,
      this.#watch,
      this.#close,
      this.#pass,
      this.#pass,
      this.#fault,
      this.#compact,
    ];
    for (let step = 0; step < steps; step++) {
      await this.#random.of(acts).call(this);
      if (this.#random.below(3) === 0) await settle();
      if (this.#failures.length > 0) throw this.#failures[0];
    }
    await this.#finish();
  }

  async #write(): Promise<void> {
    const { store } = this.#t;
    const namespace = this.#random.of(['a', 'b', 'aa']);
    const key = keyOf(`n${this.#random.below(4)}`, namespace);
    const { kv } = await store.get(key);
    const previous = kv && codec.decode(key, kv.value, kv.modRevision);
    if (kv !== undefined && this.#random.below(4) === 0) {
      const { revision } = await store.delete(key, kv.modRevision);
      return this.#record(key, revision, undefined, previous);
    }
    const name = key.slice(key.lastIndexOf('/') + 1);
    const fields = this.#random.below(2) === 0 ? {} : { 'spec.nodeName': `node${this.#random.below(3)}` };
    const value = codec.encode(
      key,
      Buffer.from(JSON.stringify({ namespace, name, labels: { app: this.#random.of(['x', 'y']) }, fields })),
    );
    const { revision } = await store.update(key, value, kv?.modRevision ?? 0);
    this.#record(key, revision, codec.decode(key, Buffer.from(value), revision), previous);
  }

  #record(key: string, revision: number, object: StoredObject | undefined, previous: StoredObject | undefined): void {
    this.#model.changes.push({ revision, key, object, previous });
    this.#model.revision = revision;
  }

  async #elsewhere(): Promise<void> {
    this.#model.revision = await this.#t.putElsewhere();
  }

  /** Reads at most recent: their answer may come later, what they must show is what is acknowledged now. */
  async #read(): Promise<void> {
    const cache = this.#random.of(this.#caches);
    const selection = this.#random.of(selections);
    const least = this.#model.revision;
    this.#expectLater(
      this.#readPages(cache, selection, this.#random.below(4)).then(({ revision, seen }) => {
        expect(revision).toBeGreaterThanOrEqual(least);
        expect(seen).toEqual(this.#model.list(revision, selection));
      }),
    );
    const key = keyOf(`n${this.#random.below(4)}`, 'a');
    this.#expectLater(
      cache.get(key, mostRecent).then((object) => {
        const known = this.#model.at(least).get(key);
        const allowed = [
          known?.revision,
          ...this.#model.changes
            .filter((change) => change.key === key && change.revision > least)
            .map((change) => change.object?.revision),
        ];
        expect(allowed).toContain(object?.revision);
      }),
    );
  }

  /** A list at most recent, in pages unless `limit` is 0; what could be read of it when compaction cuts it short. */
  async #readPages(
    cache: WatchCache,
    selection: Selection | undefined,
    limit: number,
  ): Promise<{ revision: number; seen: string[] }> {
    const options = { limit, ...(selection && { selection }) };
    let page = await cache.list({ version: mostRecent, ...options });
    const { revision } = page;
    const objects = [...page.objects];
    try {
      while (page.lastKey !== undefined) {
        page = await cache.list({ version: { match: 'exact', revision }, after: page.lastKey, ...options });
        objects.push(...page.objects);
      }
    } catch (error) {
      if (!isStorageError(error, 'Compacted')) throw error;
      expect(this.#model.compacted).toBeGreaterThan(revision);
      return { revision, seen: this.#model.list(revision, selection) };
    }
    return { revision, seen: objects.map((object) => `${object.key} @${object.revision}`) };
  }

  async #readPast(): Promise<void> {
    const { revision: now, changes, compacted } = this.#model;
    const revision = this.#random.of(changes)?.revision ?? now;
    const selection = this.#random.of(selections);
    this.#expectLater(
      this.#random
        .of(this.#caches)
        .list({ version: { match: 'exact', revision }, ...(selection && { selection }) })
        .then(
          (list) =>
            expect(list.objects.map(({ key, revision: at }) => `${key} @${at}`)).toEqual(
              this.#model.list(revision, selection),
            ),
          (error: unknown) => {
            if (!isStorageError(error, 'Compacted')) throw error;
            expect(Math.max(compacted, this.#model.compacted)).toBeGreaterThan(revision);
          },
        ),
    );
  }

  async #watch(): Promise<void> {
    const selection = this.#random.of(selections);
    const known = this.#random.of(this.#model.changes)?.revision;
    const after = known === undefined || this.#random.below(3) === 0 ? ('mostRecent' as const) : known;
    const watched = new Watched();
    this.#expectLater(
      watched.open(this.#random.of(this.#caches), { after, ...(selection && { selection }) }).then(() => {
        this.#watches.push({ watched, selection, after: typeof after === 'number' ? after : undefined });
      }),
    );
  }

  async #close(): Promise<void> {
    const [open] = this.#watches.splice(this.#random.below(Math.max(1, this.#watches.length)), 1);
    if (open === undefined) return;
    this.#check(open, false);
    open.watched.close();
  }

  async #pass(): Promise<void> {
    await this.#t.clock.advance(this.#random.of([1, 5, 60, 500, 4_000]));
  }

  async #fault(): Promise<void> {
    const { store, clock } = this.#t;
    if (this.#random.below(2) === 0) {
      store.pauseWatches();
      await this.#write();
      await settle();
      await clock.advance(this.#random.of([1, 100, 4_000]));
      return store.resumeWatches();
    }
    store.disconnect();
    await settle();
    await clock.advance(this.#random.of([1, 1_000]));
    store.reconnect();
  }

  async #compact(): Promise<void> {
    if (this.#random.below(3) > 0) return;
    const revision = this.#random.of(this.#model.changes)?.revision ?? 1;
    await this.#t.store.compact(revision);
    this.#model.compacted = Math.max(this.#model.compacted, revision);
  }

  /** What the store refuses while it is away is no wrong answer, and neither is a timeout while its watch hangs. */
  #expectLater(check: Promise<void>): void {
    this.#pending.push(
      check.catch((error: unknown) => {
        if (!isStorageError(error, 'Unavailable') && !isStorageError(error, 'Timeout')) this.#failures.push(error);
      }),
    );
  }

  async #finish(): Promise<void> {
    await this.#write();
    for (let round = 0; round < 20; round++) await this.#t.clock.advance(1_000);
    await Promise.all(this.#pending);
    if (this.#failures.length > 0) throw this.#failures[0];
    for (const open of this.#watches) this.#check(open, true);
  }

  #check({ watched, selection, after }: OpenWatch, isComplete: boolean): void {
    if (after === undefined) return this.#checkFromState(watched, selection, isComplete);
    const expected = this.#model.events(after, selection);
    const seen = watched.events.map(lineOf);
    expect(seen).toEqual(isComplete && watched.ended === undefined ? expected : expected.slice(0, seen.length));
    if (watched.ended !== undefined) expect(watched.ended).toMatchObject({ reason: 'Compacted' });
  }

  /** The initial state is that of one revision, and the events are the changes after it. */
  #checkFromState(watched: Watched, selection: Selection | undefined, isComplete: boolean): void {
    const seen = watched.events.map(lineOf);
    const matches = [0, ...this.#model.changes.map(({ revision }) => revision)].some((revision) => {
      const state = this.#model
        .list(revision, selection)
        .map((line) => `ADDED ${line.slice(line.lastIndexOf('/') + 1)}`);
      const expected = [...state, ...this.#model.events(revision, selection)];
      const compared = isComplete && watched.ended === undefined ? expected : expected.slice(0, seen.length);
      return compared.length === seen.length && compared.every((line, index) => line === seen[index]);
    });
    expect(matches, `a state and the changes after it: ${seen.join(', ')}`).toBe(true);
  }
}

describe.each([{ soundProgress: true }, { soundProgress: false }])(
  'random histories, progress sound: $soundProgress',
  ({ soundProgress }) => {
    test.each(Array.from({ length: 12 }, (_, index) => ({ seed: 1_000 + 7_919 * index })))(
      'Seed $seed',
      async ({ seed }) => {
        const t = await cacheUnderTest();
        t.store.soundProgress = soundProgress;
        await new Run(seed, t).play(300);
      },
      30_000,
    );
  },
);
