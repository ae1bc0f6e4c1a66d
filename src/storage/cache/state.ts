/**
 * What the cache knows: every object at one revision, and what changed lately.
 *
 * It advances through the store's watch only, a whole revision at a time, and synchronously: a reader never sees the
 * middle of one.
 */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { StorageCounts } from '../storage-counts.ts';
import type { KeyEvent, WatchBatch } from '../interface.ts';
import type { StorageError } from '../storage-error.ts';
import type { ObjectCodec, StoredObject } from '../objects.ts';
import { decodeObject } from '../decode-object.ts';
import type { StoredValue } from '../decode-object.ts';
import { inRange } from '../selection.ts';
import type { KeyRange } from '../selection.ts';
import { asStorageError } from '../store-watch.ts';
import { Change } from './change.ts';
import { FieldIndex } from './field-index.ts';
import { LabelIndex } from './label-index.ts';
import { ObjectIndex } from './object-index.ts';
import type { ReadonlyObjectIndex } from './object-index.ts';
import { OwnWrites } from './own-writes.ts';
import { Snapshots } from './snapshots.ts';
import type { Watchers } from './watchers.ts';
import { ChangeWindow } from './window.ts';
import { fitCapacity } from './window-capacity.ts';
import type { WindowLimits } from './window.ts';

export interface CacheStateOptions {
  readonly codec: ObjectCodec;
  readonly clock: Clock;
  readonly log: Logger;
  readonly indexedFields: readonly string[];
  readonly windowLimits: WindowLimits;
  readonly watchers: Watchers;
  readonly counts: StorageCounts;
  /** Called after the revision has moved. */
  readonly onAdvance: () => void;
  /** An object can no longer be read: watchers cannot be told what became of it. */
  readonly onUnreadable: (error: StorageError) => void;
}

/** What a fill has collected. */
export interface FilledState {
  readonly revision: number;
  readonly index: ObjectIndex;
  readonly unreadable: Map<string, StorageError>;
}

export class CacheState {
  readonly #options: CacheStateOptions;
  readonly #ownWrites = new OwnWrites();
  readonly #snapshots = new Snapshots();
  #index = new ObjectIndex();
  #fields: FieldIndex;
  #labels = new LabelIndex();
  #window: ChangeWindow;
  #revision = 0;
  #version = 0;
  #compacted = 0;
  #unreadable = new Map<string, StorageError>();
  /** An object became unreadable in the batch that is being applied. */
  #broken: StorageError | undefined;
  /** An object that was unreadable no longer is. */
  #torn = false;

  constructor(options: CacheStateOptions) {
    this.#options = options;
    this.#fields = new FieldIndex(options.indexedFields);
    this.#window = new ChangeWindow(options.windowLimits, 0);
    fitCapacity(options.counts.window, 0);
  }

  /** Every change up to this revision is in here. */
  get revision(): number {
    return this.#revision;
  }

  /** Grows when the objects change, not when only the revision moves. */
  get version(): number {
    return this.#version;
  }

  get index(): ReadonlyObjectIndex {
    return this.#index;
  }

  get fields(): FieldIndex {
    return this.#fields;
  }

  /** The objects that have one of the labels: see {@link LabelIndex.find}. */
  labelled(required: ReadonlyMap<string, string> | undefined): ReadonlySet<StoredObject> | undefined {
    return this.#labels.find(required, (use) => this.#index.forEach(use));
  }

  get window(): ChangeWindow {
    return this.#window;
  }

  /** The key of an object in the range that could not be read when the cache took it. */
  unreadableIn(range: KeyRange): string | undefined {
    if (this.#unreadable.size === 0) return undefined;
    for (const key of this.#unreadable.keys()) if (inRange(range, key)) return key;
    return undefined;
  }

  /** The object as it is. Throws when it cannot be read. */
  get(key: string): StoredObject | undefined {
    if (this.#unreadable.size > 0) this.checkReadable({ prefix: key, key });
    return this.#index.get(key);
  }

  /** Throws when the range has an object that cannot be read: an answer without it would be wrong. */
  checkReadable(range: KeyRange): void {
    if (this.#unreadable.size === 0) return;
    for (const [key, error] of this.#unreadable) if (inRange(range, key)) throw error;
  }

  /** The state at a past revision, or undefined when only the store can know it. */
  at(revision: number): ReadonlyObjectIndex | undefined {
    if (revision < this.#compacted || this.#unreadable.size > 0) return undefined;
    return this.#snapshots.at(revision, { window: this.#window, current: this.#index, now: this.#revision });
  }

  /** Keeps the state at `revision` for the pages to come. */
  hold(revision: number, index: ReadonlyObjectIndex): void {
    if (revision >= this.#window.floor && revision <= this.#revision) this.#snapshots.hold(revision, index);
  }

  /** The store has dropped what is below: all replicas shall forget it, so that a token ends everywhere at once. */
  compacted(revision: number): void {
    this.#compacted = Math.max(this.#compacted, revision);
    this.#snapshots.trim(this.#compacted);
  }

  /** The object of a version, shared if the cache has it or is about to have it. */
  share(kv: StoredValue): StoredObject {
    const known = this.#index.get(kv.key);
    return known?.revision === kv.modRevision ? known : decodeObject(this.#options.codec, kv);
  }

  /** As `share`, for a version written here: the cache takes the object when the watch shows it. */
  shareWritten(kv: StoredValue): StoredObject {
    const object = this.share(kv);
    if (object.revision > this.#revision) this.#ownWrites.add(object);
    return object;
  }

  replace({ revision, index, unreadable }: FilledState): void {
    this.#index = index;
    this.#labels = new LabelIndex();
    this.#unreadable = unreadable;
    this.#fields = new FieldIndex(this.#options.indexedFields);
    if (this.#options.indexedFields.length > 0) index.forEach((object) => this.#fields.replace(undefined, object));
    this.#revision = revision;
    this.#version++;
    this.#forgetPast();
    this.#ownWrites.forgetUpTo(revision);
    this.#options.onAdvance();
  }

  apply(batch: WatchBatch): void {
    const changes: Change[] = [];
    const at = this.#options.clock.now();
    for (const event of batch.events) {
      const change = this.#applyEvent(event, at);
      if (change !== undefined) changes.push(change);
    }
    this.#revision = Math.max(this.#revision, batch.revision);
    if (changes.length > 0) this.#version++;
    for (const change of changes) this.#window.push(change);
    this.#settleUnreadable();
    this.#count(batch.events.length, changes.length);
    this.#options.watchers.deliver(changes);
    this.trim();
    this.#options.onAdvance();
  }

  /** Drops what has become too old. */
  trim(): void {
    this.#window.trim(this.#options.clock.now());
    fitCapacity(this.#options.counts.window, this.#window.size);
    this.#snapshots.trim(this.#window.floor);
  }

  #count(received: number, dispatched: number): void {
    const { counts } = this.#options;
    if (received === 0) counts.progressNotifications++;
    counts.eventsReceived += received;
    counts.eventsDispatched += dispatched;
  }

  #applyEvent(event: KeyEvent, at: number): Change | undefined {
    const { key, modRevision: revision } = event;
    const written = this.#ownWrites.claim(key, revision);
    if (this.#unreadable.delete(key)) this.#torn = true;
    const object = event.type === 'delete' ? undefined : (written ?? this.#open(event));
    const previous = this.#index.get(key);
    if (object === undefined) this.#index.delete(key);
    else this.#index.set(object);
    this.#fields.replace(previous, object);
    this.#labels.replace(previous, object);
    if (object === undefined && previous === undefined) return undefined;
    return new Change({ key, revision, object, previous, at });
  }

  #open(event: KeyEvent): StoredObject | undefined {
    try {
      return decodeObject(this.#options.codec, event);
    } catch (error) {
      this.#broken = asStorageError(error);
      this.#unreadable.set(event.key, this.#broken);
      this.#options.log.error(
        { key: event.key, revision: event.modRevision, err: error },
        'a stored object cannot be read',
      );
      return undefined;
    }
  }

  /** Undoing a change is impossible where one of its versions was not read, and so is telling watchers of it. */
  #settleUnreadable(): void {
    const broken = this.#broken;
    if (broken !== undefined || this.#torn) this.#forgetPast();
    this.#broken = undefined;
    this.#torn = false;
    if (broken !== undefined) this.#options.onUnreadable(broken);
  }

  /** What was before can no longer be found by undoing changes. */
  #forgetPast(): void {
    this.#window = new ChangeWindow(this.#options.windowLimits, this.#revision);
    this.#snapshots.trim(Infinity);
  }
}
