/**
 * The length of a log line is bounded: it contains text of clients (paths, names, errors that quote them), and a client
 * that can write a megabyte into the log with each request fills the disk.
 */
import type { Logger } from './logger.ts';

/** UTF-16 units. */
const maxText = 2048;
const maxStack = 8192;
/** Of all texts of a line. */
const maxLine = 32_768;
/** Members of an object, items of a list. */
const maxMembers = 100;
const maxDepth = 5;

const mark = '...TRUNCATED';

/** Hands on what is short as it is. */
export function boundedLogger(log: Logger): Logger {
  const bounded = (details: object): object => new Shortener().value(details, 0) as object;
  return {
    debug: (details, message) => log.debug(bounded(details), cut(message, maxText)),
    info: (details, message) => log.info(bounded(details), cut(message, maxText)),
    warn: (details, message) => log.warn(bounded(details), cut(message, maxText)),
    error: (details, message) => log.error(bounded(details), cut(message, maxText)),
  };
}

const cut = (text: string, max: number): string => (text.length <= max ? text : text.slice(0, max) + mark);

/** Each method returns what it is given where nothing is to be cut. */
class Shortener {
  #left = maxLine;

  value(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#text(value, maxText);
    if (typeof value !== 'object' || value === null) return value;
    if (depth === maxDepth) return mark;
    if (value instanceof Error) return this.#error(value, depth);
    if (Array.isArray(value)) return this.#list(value, depth);
    if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
    if ('toJSON' in value && typeof value.toJSON === 'function')
      return this.value((value as { toJSON(): unknown }).toJSON(), depth + 1);
    return this.#object(value as Readonly<Record<string, unknown>>, depth);
  }

  #text(text: string, max: number): string {
    const short = cut(text, Math.max(0, Math.min(max, this.#left)));
    this.#left -= short.length;
    return short;
  }

  #list(items: readonly unknown[], depth: number): readonly unknown[] {
    const short = items.slice(0, maxMembers).map((item) => this.value(item, depth + 1));
    if (items.length > maxMembers) return [...short, `${items.length - maxMembers} more`];
    return short.every((item, i) => item === items[i]) ? items : short;
  }

  #object(object: Readonly<Record<string, unknown>>, depth: number): object {
    const members = Object.entries(object);
    const short = members
      .slice(0, maxMembers)
      .map(([key, value]): [string, unknown] => [this.#text(key, maxText), this.value(value, depth + 1)]);
    const isSame =
      members.length <= maxMembers &&
      short.every(([key, value], i) => key === members[i]![0] && value === members[i]![1]);
    return isSame ? object : Object.fromEntries(short);
  }

  /** An error of the same class, with what loggers show of one. */
  #error(error: Error, depth: number): Error {
    const { message, stack, cause } = error;
    const shown = {
      message: this.#text(message, maxText),
      stack: stack === undefined ? stack : this.#text(stack, maxStack),
      cause: this.value(cause, depth + 1),
    };
    const own = this.#object({ ...error }, depth);
    if (
      shown.message === message &&
      shown.stack === stack &&
      shown.cause === cause &&
      Object.entries(own).every(([key, value]) => (error as unknown as Record<string, unknown>)[key] === value)
    )
      return error;
    const short = Object.create(Object.getPrototypeOf(error) as object) as Error;
    for (const [key, value] of Object.entries(own))
      Object.defineProperty(short, key, { value, enumerable: true, configurable: true, writable: true });
    for (const [key, value] of Object.entries(shown))
      if (value !== undefined)
        Object.defineProperty(short, key, { value, enumerable: false, configurable: true, writable: true });
    return short;
  }
}
