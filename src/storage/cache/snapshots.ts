/**
 * States of the recent past. A page that has a next one leaves its snapshot here, so that the next finds it; any other
 * revision the window covers is made by undoing changes. A snapshot is dropped as soon as the window no longer reaches
 * back to it: so everything old it holds is held by the window too, whose bytes are bounded.
 */
import type { ReadonlyObjectIndex } from './object-index.ts';
import type { ChangeWindow } from './window.ts';

/** A page of a list from the store costs about as much as undoing so many changes. */
const maxUndone = 10_000;
/** A snapshot far from the others can be a tree of its own: about a megabyte for 30,000 objects. */
const maxHeld = 16;

export class Snapshots {
  /** By revision, the least recently used first. */
  readonly #held = new Map<number, ReadonlyObjectIndex>();

  get size(): number {
    return this.#held.size;
  }

  hold(revision: number, index: ReadonlyObjectIndex): void {
    if (!this.#held.has(revision)) this.#remember(revision, index.snapshot());
  }

  /** The state at `revision`, or undefined when only the store can know it. `current` is the state at `now`. */
  at(
    revision: number,
    { window, current, now }: { window: ChangeWindow; current: ReadonlyObjectIndex; now: number },
  ): ReadonlyObjectIndex | undefined {
    if (revision > now || revision < window.floor) return undefined;
    if (window.countAfter(revision) === 0) return current;
    const held = this.#held.get(revision);
    if (held !== undefined) {
      this.#remember(revision, held);
      return held;
    }
    const [from, base] = this.#nearest(revision, now, current);
    if (window.countAfter(revision) - window.countAfter(from) > maxUndone) return undefined;
    const undone = base.snapshot();
    for (const change of window.undo(from, revision)) {
      if (change.previous === undefined) undone.delete(change.key);
      else undone.set(change.previous);
    }
    this.#remember(revision, undone);
    return undone;
  }

  /** Forgets what the window no longer covers. */
  trim(floor: number): void {
    for (const revision of this.#held.keys()) if (revision < floor) this.#held.delete(revision);
  }

  #nearest(revision: number, now: number, current: ReadonlyObjectIndex): [number, ReadonlyObjectIndex] {
    let nearest: [number, ReadonlyObjectIndex] = [now, current];
    for (const [held, index] of this.#held) if (held > revision && held < nearest[0]) nearest = [held, index];
    return nearest;
  }

  #remember(revision: number, index: ReadonlyObjectIndex): void {
    this.#held.delete(revision);
    this.#held.set(revision, index);
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= maxHeld) break;
      this.#held.delete(oldest);
    }
  }
}
