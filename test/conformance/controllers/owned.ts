/** What ends with its owner, the last one first. */
export class Owned {
  readonly #ends: (() => unknown)[] = [];

  use<T extends AsyncDisposable>(part: T): T {
    this.defer(() => part[Symbol.asyncDispose]());
    return part;
  }

  defer(end: () => unknown): void {
    this.#ends.push(end);
  }

  async close(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end();
  }
}
