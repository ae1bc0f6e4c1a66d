/**
 * Compaction: first a promise, then the work.
 *
 * `compact` makes the promise durable: revisions below are not served any more. What can no longer be read is then
 * dropped in the background, in steps, so that neither writers nor readers wait for it; if the process ends in between,
 * this continues at the next opening. Of each key changed since the last compaction it drops,
 *
 *   1. the puts that a put or deletion at or below the revision has superseded,
 *   2. when all of those are gone, the deletions below the revision. In this order, because a key would come back if
 * its
 *      deletion went first and the process ended right then. (The end of a lease deletes many keys in one record.)
 *
 * A deletion at the revision itself stays until the next compaction: a watch that starts right before it must get its
 * event.
 */
import { StorageError } from '../storage-error.ts';
import type { Change } from './journal.ts';
import type { KeyIndex } from './key-index.ts';
import type { RevisionLog } from './revision-log.ts';
import { isDeletion, versionAt } from './version.ts';
import type { KeyHistory, Version } from './version.ts';

/** Changes looked at, and versions dropped, in one step. */
const STEP = 1_000;

export interface CompactorParts {
  readonly index: KeyIndex;
  readonly revisionLog: RevisionLog;
  readonly compacted: number;
  /** The compaction whose work is done. */
  readonly swept: number;
  readonly record: (change: Change) => Promise<void>;
  readonly published: () => number;
}

export class Compactor {
  readonly #parts: CompactorParts;
  #compacted: number;
  #swept: number;
  #sweeping: Promise<void> | undefined;
  /** Deletions that can go as soon as all puts before them are gone. Kept when a sweep fails half-way. */
  readonly #deletions = new Set<Version>();
  /** Compactions one after another, so that an older revision never overwrites a newer one. */
  #last: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: CompactorParts) {
    this.#parts = parts;
    this.#compacted = parts.compacted;
    this.#swept = parts.swept;
  }

  /** The oldest revision that is served. */
  get compacted(): number {
    return this.#compacted;
  }

  /** Throws `FutureRevision`. Resolves when the promise is durable, not when the work is done. */
  compact(revision: number): Promise<void> {
    const done = this.#last.then(() => this.#promise(revision));
    this.#last = done.catch(() => {});
    return done;
  }

  /** Starts the work that is due, unless it is under way. */
  sweep(): void {
    if (this.#sweeping !== undefined || this.#closed || this.#swept >= this.#compacted) return;
    this.#sweeping = this.#sweep(this.#compacted).then(
      () => this.#finish(true),
      // A full disk: the next compaction tries again.
      () => this.#finish(false),
    );
  }

  /** Resolves when no work is under way. */
  async swept(): Promise<void> {
    while (this.#sweeping !== undefined) await this.#sweeping;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.swept();
  }

  async #promise(revision: number): Promise<void> {
    const current = this.#parts.published();
    if (revision > current)
      throw new StorageError('FutureRevision', `revision ${revision} is yet to come`, { revision: current });
    if (revision <= this.#compacted) return;
    await this.#parts.record({ kind: 'compacted', revision });
    this.#compacted = revision;
    this.sweep();
  }

  #finish(again: boolean): void {
    this.#sweeping = undefined;
    if (again) this.sweep();
  }

  async #sweep(revision: number): Promise<void> {
    await this.#dropSuperseded(revision);
    await this.#dropDeletions();
    if (this.#closed) return;
    await this.#parts.record({ kind: 'swept', revision });
    this.#swept = revision;
    this.#parts.revisionLog.dropBefore(revision);
  }

  /**
   * Walks the changes since the last sweep. Those at its very revision are looked at again for the deletions among
   * them.
   */
  async #dropSuperseded(revision: number): Promise<void> {
    const { revisionLog, record } = this.#parts;
    for (let from = this.#swept - 1; from < revision && !this.#closed; ) {
      const kept = new Map<KeyHistory, Version>();
      const superseded: Version[] = [];
      let index = revisionLog.after(from);
      for (
        const stop = index + STEP;
        index < revisionLog.end && (index < stop || revisionLog.at(index).modRevision === from);
        index++
      ) {
        const { history, modRevision } = revisionLog.at(index);
        if (modRevision > revision) break;
        from = modRevision;
        if (!kept.has(history)) this.#collect(history, revision, kept, superseded);
      }
      if (superseded.length > 0) await record({ kind: 'dropped', versions: superseded });
      // Memory is changed after the journal, so that a failed step can be repeated.
      for (const version of kept.values()) version.older = undefined;
      if (index >= revisionLog.end || revisionLog.at(index).modRevision > revision) return;
    }
  }

  /** Puts to drop go to `superseded`, oldest first; deletions wait for the second round. */
  #collect(history: KeyHistory, revision: number, kept: Map<KeyHistory, Version>, superseded: Version[]): void {
    const newest = versionAt(history, revision);
    if (newest === undefined) return;
    kept.set(history, newest);
    if (isDeletion(newest) && newest.modRevision < revision) this.#deletions.add(newest);
    const puts: Version[] = [];
    for (let version = newest.older; version !== undefined; version = version.older) {
      if (isDeletion(version)) this.#deletions.add(version);
      else puts.push(version);
    }
    for (let i = puts.length - 1; i >= 0; i--) superseded.push(puts[i]!);
  }

  async #dropDeletions(): Promise<void> {
    const waiting = [...this.#deletions];
    for (let at = 0; at < waiting.length && !this.#closed; at += STEP) {
      const versions = waiting.slice(at, at + STEP);
      await this.#parts.record({ kind: 'dropped', versions });
      for (const version of versions) {
        this.#parts.index.forget(version);
        this.#deletions.delete(version);
      }
    }
  }
}
