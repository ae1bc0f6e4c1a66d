import type { Version } from './version.ts';

/** All durable versions and deletions since the last compaction, by revision: what watches replay. */
export class RevisionLog {
  #versions: Version[] = [];
  /** Where the kept part begins; what lies before is cut off when it is worth it. */
  #start = 0;

  get end(): number {
    return this.#versions.length;
  }

  push(version: Version): void {
    this.#versions.push(version);
  }

  at(index: number): Version {
    return this.#versions[index]!;
  }

  /** Index of the first version with a revision greater than `revision`; `end` if there is none. */
  after(revision: number): number {
    let low = this.#start;
    let high = this.#versions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#versions[middle]!.modRevision > revision) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Drops what is older than `revision`. Indexes got before are void. */
  dropBefore(revision: number): void {
    this.#start = this.after(revision - 1);
    if (this.#start * 2 < this.#versions.length) return;
    this.#versions = this.#versions.slice(this.#start);
    this.#start = 0;
  }
}
