import { createHash } from 'node:crypto';

/**
 * The texts for `Warning` headers of one answer, bounded as upstream bounds them: clients refuse answers whose headers
 * are too long. In characters, by code points.
 */
const maxTotalLength = 4096;
const maxItemLength = 256;

interface State {
  readonly texts: readonly string[];
  readonly known: readonly string[];
  readonly length: number;
  readonly isShortened: boolean;
}

export class Warnings {
  /** As they go out. */
  #texts: string[] = [];
  /** By {@link keyOf}, what {@link #texts} were before they were shortened. */
  #known = new Set<string>();
  #length = 0;
  /** All of them did not fit: from here on only the beginning of each is kept. */
  #isShortened = false;

  get texts(): readonly string[] {
    return this.#texts;
  }

  /** Whether no further warning is kept. */
  get isFull(): boolean {
    return this.#isShortened && this.#length >= maxTotalLength;
  }

  /** Adds a warning once. Takes the same time however many there are. */
  add(text: string): void {
    if (text === '' || this.isFull) return;
    const key = keyOf(text);
    if (this.#known.has(key)) return;
    this.#known.add(key);
    this.#append(text);
    if (!this.#isShortened && this.#length > maxTotalLength) this.#shorten();
  }

  /** Takes what another one has kept as it is: texts that were shortened can be equal and are not the same. */
  takeOver(texts: readonly string[]): void {
    for (const text of texts) {
      if (this.isFull) return;
      this.#known.add(keyOf(text));
      this.#append(text);
    }
    this.#isShortened ||= this.#length >= maxTotalLength;
  }

  /** Returns what takes back every warning since. */
  mark(): () => void {
    const state: State = {
      texts: [...this.#texts],
      known: [...this.#known],
      length: this.#length,
      isShortened: this.#isShortened,
    };
    return () => this.#restore(state);
  }

  #append(text: string): void {
    const kept = beginningOf(text, this.#isShortened ? maxItemLength : maxTotalLength + 1);
    this.#texts.push(kept.text);
    this.#length += kept.length;
  }

  #shorten(): void {
    const texts = this.#texts;
    this.#texts = [];
    this.#length = 0;
    this.#isShortened = true;
    for (const text of texts) this.#append(text);
  }

  #restore({ texts, known, length, isShortened }: State): void {
    this.#texts = [...texts];
    this.#known = new Set(known);
    this.#length = length;
    this.#isShortened = isShortened;
  }
}

/** Stands for a text in comparisons; a long text is not kept for them. */
const keyOf = (text: string): string =>
  text.length <= maxTotalLength ? text : createHash('sha256').update(text).digest('base64');

/** The first code points of a text, and how many they are. */
function beginningOf(text: string, most: number): { readonly text: string; readonly length: number } {
  let length = 0;
  let end = 0;
  while (end < text.length && length < most) {
    end += text.codePointAt(end)! > 0xffff ? 2 : 1;
    length += 1;
  }
  return { text: end === text.length ? text : text.slice(0, end), length };
}
