/**
 * The recent changes, oldest first. Watches begin here when they resume, and recent states are found by undoing them.
 *
 * Bounded three ways: what is older than `maxAgeMs` goes, but `minEvents` stay for quiet resources; and there are never
 * more than `maxEvents` or more than `maxBytes` of old versions. What has gone is still in the store's history.
 */
import type { Change } from './change.ts';

export interface WindowLimits {
  readonly minEvents: number;
  readonly maxEvents: number;
  /** Of versions that only the window still holds. */
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

/** Ages and counts as the reference has them; the bytes keep a burst of large objects from growing the process. */
export const defaultWindowLimits: WindowLimits = {
  minEvents: 100,
  maxEvents: 100_000,
  maxBytes: 32 * 1024 * 1024,
  maxAgeMs: 75_000,
};

/** What a change holds beside the old version. */
const overheadBytes = 400;
/** Dropped entries are cut off in one go once there are as many as kept ones. */
const leastCut = 1024;

export class ChangeWindow {
  readonly #limits: WindowLimits;
  #changes: (Change | undefined)[] = [];
  #head = 0;
  #bytes = 0;
  #floor: number;

  /** `floor`: the revision that the first change comes after. */
  constructor(limits: WindowLimits, floor: number) {
    this.#limits = limits;
    this.#floor = floor;
  }

  /** Every change after this revision is here. */
  get floor(): number {
    return this.#floor;
  }

  get size(): number {
    return this.#changes.length - this.#head;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(change: Change): void {
    this.#changes.push(change);
    this.#bytes += weightOf(change);
  }

  /** Adds what came before: all changes after `floor`, up to the floor there was. */
  prepend(changes: readonly Change[], floor: number): void {
    this.#changes = [...changes, ...this.#changes.slice(this.#head)];
    this.#head = 0;
    for (const change of changes) this.#bytes += weightOf(change);
    this.#floor = floor;
  }

  /** Drops what is beyond the limits. Called between batches only, so that a revision is not torn. */
  trim(now: number): void {
    const { minEvents, maxEvents, maxBytes, maxAgeMs } = this.#limits;
    const isTooOld = (): boolean => this.size > minEvents && now - this.#oldest().at > maxAgeMs;
    while (this.size > 0 && (this.size > maxEvents || this.#bytes > maxBytes || isTooOld())) this.#drop();
    this.#cut();
  }

  /** The changes after `revision`, oldest first. `revision` must not be below `floor`. */
  *after(revision: number): Generator<Change> {
    for (let index = this.#firstAfter(revision); index < this.#changes.length; index++) yield this.#changes[index]!;
  }

  /** The changes after `revision` and up to `from`, newest first. */
  *undo(from: number, revision: number): Generator<Change> {
    const oldest = this.#firstAfter(revision);
    for (let index = this.#firstAfter(from) - 1; index >= oldest; index--) yield this.#changes[index]!;
  }

  countAfter(revision: number): number {
    return this.#changes.length - this.#firstAfter(revision);
  }

  #oldest(): Change {
    return this.#changes[this.#head]!;
  }

  #drop(): void {
    const change = this.#oldest();
    this.#changes[this.#head++] = undefined;
    this.#bytes -= weightOf(change);
    this.#floor = change.revision;
  }

  #cut(): void {
    if (this.#head < leastCut || this.#head < this.#changes.length / 2) return;
    this.#changes = this.#changes.slice(this.#head);
    this.#head = 0;
  }

  #firstAfter(revision: number): number {
    let low = this.#head;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#changes[middle]!.revision > revision) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** The new version is the index's or the next change's; only the old one is held by the window alone. */
function weightOf(change: Change): number {
  return (change.previous?.bytes.length ?? 0) + overheadBytes;
}
