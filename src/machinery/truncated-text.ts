/**
 * Text that an error shows of a value a client sent. It has a bound, and says when it was cut: a value can be large,
 * and many errors can show the same one.
 */
const maxShownLength = 8192;

export const cutMark = '... (cut)';

/** Collects text until there is enough. */
export class TruncatedText {
  #text = '';
  #isCut = false;

  /** Whether what is added from here on would be cut: the caller need not make it. */
  get isFull(): boolean {
    return this.#isCut;
  }

  add(text: string): this {
    if (this.#isCut) return this;
    const left = maxShownLength - this.#text.length;
    this.#isCut = text.length > left;
    this.#text += this.#isCut ? text.slice(0, left) : text;
    return this;
  }

  /** Adds the items with a separator between them. */
  addAll<T>(items: Iterable<T>, separator: string, add: (item: T) => void): this {
    let isFirst = true;
    for (const item of items) {
      if (this.#isCut) break;
      if (!isFirst) this.add(separator);
      isFirst = false;
      add(item);
    }
    return this;
  }

  toString(): string {
    return this.#isCut ? this.#text + cutMark : this.#text;
  }
}

/** The text, or as much of it as an error shows. What was cut before stays as it is. */
export const truncateText = (text: string, most = maxShownLength): string =>
  text.length <= most + cutMark.length ? text : text.slice(0, most) + cutMark;

/** As {@link truncateText}, with quotes around by `quote`; what is cut is not quoted first. */
export const truncateQuoted = (text: string, quote: (text: string) => string): string =>
  text.length <= maxShownLength ? quote(text) : quote(text.slice(0, maxShownLength)) + cutMark;
