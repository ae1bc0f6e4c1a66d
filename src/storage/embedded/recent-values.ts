import type { Version } from './version.ts';

/** What keeping a version costs beside its value, so that tiny values do not add up to a long queue. */
const VERSION_BYTES = 250;

/**
 * Keeps the values of the newest versions in memory, the oldest leaving first: watches, which nearly always ask for
 * them, then share one buffer instead of reading a copy each.
 */
export class RecentValues {
  readonly #maxBytes: number;
  #queue: Version[] = [];
  #start = 0;
  #bytes = 0;

  constructor({ maxBytes }: { maxBytes: number }) {
    this.#maxBytes = maxBytes;
  }

  add(version: Version): void {
    if (version.value === undefined) return;
    this.#queue.push(version);
    this.#bytes += version.value.length + VERSION_BYTES;
    while (this.#bytes > this.#maxBytes) this.#evict();
    if (this.#start > 1024 && this.#start * 2 > this.#queue.length) this.#shrink();
  }

  #evict(): void {
    const version = this.#queue[this.#start++]!;
    this.#bytes -= version.value!.length + VERSION_BYTES;
    version.value = undefined;
  }

  #shrink(): void {
    this.#queue = this.#queue.slice(this.#start);
    this.#start = 0;
  }
}
