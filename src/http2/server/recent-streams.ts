/** Streams that were broken off here, or not looked at: what the client sent before it knew is no mistake of its. */
const maxRemembered = 1000;

/** Numbers of the streams that were added last. */
export class RecentStreams {
  readonly #ids = new Set<number>();

  add(streamId: number): void {
    if (this.#ids.size >= maxRemembered) this.#ids.delete(this.#ids.values().next().value!);
    this.#ids.add(streamId);
  }

  has(streamId: number): boolean {
    return this.#ids.has(streamId);
  }
}
