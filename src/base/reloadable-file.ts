/** Texts that may change while the program runs: the contents of files that operators replace. */
import { readFile } from 'node:fs/promises';
import { systemClock, type Clock } from './clock.ts';
import type { Logger } from './logger.ts';
import { Ticker } from './ticker.ts';

export interface ReloadableText {
  get(): string;
  /** Calls back after each change, when `get` gives the new text. Returns what stops it. */
  onChange(listener: () => void): () => void;
}

export const fixedText = (text: string): ReloadableText => ({ get: () => text, onChange: () => () => undefined });

/** Several as one, a line break between them. */
export function joinedTexts(parts: readonly ReloadableText[]): ReloadableText {
  return {
    get: () => parts.map((part) => part.get()).join('\n'),
    onChange: (listener) => {
      const stops = parts.map((part) => part.onChange(listener));
      return () => stops.forEach((stop) => stop());
    },
  };
}

export interface ReloadableFilesOptions {
  readonly log: Logger;
  readonly everyMs?: number;
  readonly clock?: Clock;
}

type Check = (text: string) => void | Promise<void>;

/** Looking is cheap, and sees what is behind symbolic links too, which is how mounted secrets are replaced. */
const defaultEveryMs = 5000;

/** Files that are read again and again. A file that cannot be read keeps what it had. */
export class ReloadableFiles {
  readonly #files: WatchedFile[] = [];
  readonly #log: Logger;
  readonly #ticker: Ticker;
  #looking: Promise<void> | undefined;

  constructor({ log, everyMs = defaultEveryMs, clock = systemClock }: ReloadableFilesOptions) {
    this.#log = log;
    this.#ticker = new Ticker(clock, everyMs, () => void this.look());
  }

  /**
   * Rejects when the file cannot be read, or `check` refuses it, now.
   * @param check throws or rejects for a text that cannot be used: a later one is logged, and the text before stays
   */
  async watch(path: string, check: Check = () => undefined): Promise<ReloadableText> {
    const text = await readFile(path, 'utf8');
    await check(text);
    const file = new WatchedFile(path, text, check);
    this.#files.push(file);
    this.#ticker.start();
    return file;
  }

  /** Looks at all files now. */
  look(): Promise<void> {
    this.#looking ??= Promise.all(this.#files.map((file) => file.look(this.#log)))
      .then(() => undefined)
      .finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async stop(): Promise<void> {
    this.#ticker.stop();
    await this.#looking;
  }
}

class WatchedFile implements ReloadableText {
  readonly #path: string;
  readonly #check: Check;
  readonly #listeners = new Set<() => void>();
  #text: string;
  /** What was refused: said once. */
  #refused: string | undefined;

  constructor(path: string, text: string, check: Check) {
    this.#path = path;
    this.#text = text;
    this.#check = check;
  }

  get(): string {
    return this.#text;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async look(log: Logger): Promise<void> {
    try {
      const text = await readFile(this.#path, 'utf8');
      if (text === this.#text || text === this.#refused) return;
      this.#refused = text;
      await this.#check(text);
      this.#text = text;
      this.#refused = undefined;
      log.info({ file: this.#path }, 'read again');
      for (const listener of this.#listeners) listener();
    } catch (error) {
      log.warn({ err: error, file: this.#path }, 'the new content cannot be used; the one before stays in force');
    }
  }
}
