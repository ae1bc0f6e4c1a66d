import type { KeyEvent } from '../interface.ts';

/**
 * Puts revisions together that etcd had to split over several answers because one would have been too large. Only the
 * last revision of a fragment can be incomplete; everything before it may go on.
 */
export class RevisionAssembler {
  #incomplete: KeyEvent[] = [];

  /** Something of a revision is here, and the rest is still to come. */
  get pending(): boolean {
    return this.#incomplete.length > 0;
  }

  /** Takes the events of one answer, and returns those of all revisions that are whole now. */
  push(events: readonly KeyEvent[], fragment: boolean): readonly KeyEvent[] {
    const all = this.#incomplete.length === 0 ? events : [...this.#incomplete, ...events];
    if (!fragment) {
      this.#incomplete = [];
      return all;
    }
    const last = all.at(-1)?.modRevision;
    let whole = all.length;
    while (whole > 0 && all[whole - 1]!.modRevision === last) whole--;
    this.#incomplete = all.slice(whole);
    return all.slice(0, whole);
  }
}
