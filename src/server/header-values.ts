import { copyText } from '../base/copy-text.ts';

/** What may still be asked for when a request is being answered: the record of a watch that ends tells it. */
const keptNames = ['user-agent', 'x-forwarded-for', 'x-real-ip', 'accept', 'accept-encoding', 'host'] as const;
const maxKeptLength = 16 * 1024;

/**
 * Values of headers by name, in order. A request may have tens of thousands of names, and steps ask for them one
 * by one.
 */
export class HeaderValues {
  /** Most names come once. */
  readonly #values = new Map<string, string | string[]>();

  /** @param fields names, in lower case, and values alternately */
  constructor(fields: readonly string[]) {
    for (let i = 0; i < fields.length; i += 2) this.#add(fields[i]!, fields[i + 1]!);
  }

  first(name: string): string | undefined {
    const values = this.#values.get(name);
    return typeof values === 'object' ? values[0] : values;
  }

  all(name: string): string[] {
    const values = this.#values.get(name);
    return values === undefined ? [] : typeof values === 'object' ? values : [values];
  }

  names(): string[] {
    return [...this.#values.keys()];
  }

  #add(name: string, value: string): void {
    const known = this.#values.get(name);
    if (known === undefined) this.#values.set(name, value);
    else if (typeof known === 'object') known.push(value);
    else this.#values.set(name, [known, value]);
  }
}

/**
 * Names and values, alternately, of the headers that are kept: the headers of a request can be long, and its response
 * can last for hours.
 */
export const keptFields = (first: (name: string) => string | undefined): string[] =>
  keptNames.flatMap((name) => {
    const value = first(name);
    return value === undefined ? [] : [name, copyText(value.slice(0, maxKeptLength))];
  });
