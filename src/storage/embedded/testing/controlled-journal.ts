import { StorageError } from '../../storage-error.ts';
import type { Change, Journal, JournalState } from '../journal.ts';

/** A journal whose commits wait, or fail, as a test wants it, before they reach the real one. */
export class ControlledJournal implements Journal {
  /** What each commit was asked to do, those that failed included. */
  readonly commits: (readonly Change[])[] = [];
  readonly #journal: Journal;
  #failure: { error: StorageError; matches: (change: Change) => boolean } | undefined;
  #gate: Promise<void> | undefined;
  #release: () => void = () => {};

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  get keepsValuesInMemory(): boolean {
    return this.#journal.keepsValuesInMemory;
  }

  /** Commits wait from now on. Call what it returns to let them through. */
  hold(): () => void {
    this.#gate = new Promise((resolve) => {
      this.#release = resolve;
    });
    return () => {
      this.#gate = undefined;
      this.#release();
    };
  }

  /** Commits with such a change fail from now on; without a reason they succeed again. */
  fail(reason: 'NoSpace' | 'Unavailable' | undefined, matches: (change: Change) => boolean = () => true): void {
    this.#failure = reason && { error: new StorageError(reason, 'as the test wants it'), matches };
  }

  load(): JournalState {
    return this.#journal.load();
  }

  async commit(changes: readonly Change[]): Promise<void> {
    this.commits.push(changes);
    await this.#gate;
    if (this.#failure !== undefined && changes.some(this.#failure.matches)) throw this.#failure.error;
    await this.#journal.commit(changes);
  }

  read(revision: number): Buffer | undefined {
    return this.#journal.read(revision);
  }

  hasSpaceFor(bytes: number): boolean {
    return this.#journal.hasSpaceFor(bytes);
  }

  sizeBytes(): number {
    return this.#journal.sizeBytes();
  }

  close(): Promise<void> {
    return this.#journal.close();
  }
}
