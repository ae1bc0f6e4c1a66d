/** What was worked out about the texts that came most recently. Two generations: the old one goes when the young one is full. */
export class Recent<T> {
  readonly #maxChars: number;
  #young = new Map<string, T>();
  #old = new Map<string, T>();
  #youngChars = 0;

  /** @param maxChars of the texts of a generation */
  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  get(text: string): T | undefined {
    const value = this.#young.get(text);
    if (value !== undefined) return value;
    const old = this.#old.get(text);
    if (old !== undefined) this.set(text, old);
    return old;
  }

  set(text: string, value: T): void {
    if (this.#youngChars > this.#maxChars) [this.#old, this.#young, this.#youngChars] = [this.#young, new Map(), 0];
    this.#young.set(text, value);
    this.#youngChars += text.length;
  }
}
