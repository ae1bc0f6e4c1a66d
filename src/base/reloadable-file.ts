/** Texts that may change while the program runs: the contents of files that operators replace. */
import { readFile } from 'node:fs/promises';
import { systemClock, type Clock } from './clock.ts';
import type { FileReports } from './file-reports.ts';
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
type CheckAll = (texts: readonly string[]) => void | Promise<void>;

export type ReloadStatus = 'success' | 'failure';

export interface FileReload {
  readonly file: string;
  readonly status: ReloadStatus;
  /** How often that came out. */
  readonly count: number;
  /** When it came out last, in milliseconds since 1970. */
  readonly lastAt: number;
}

/** Looking is cheap, and sees what is behind symbolic links too, which is how mounted secrets are replaced. */
const defaultEveryMs = 5000;

/**
 * Files that are read again and again. A file that cannot be read keeps what it had. Readers of other files, which
 * look at them when they use them, report here what came of it.
 */
export class ReloadableFiles implements FileReports {
  readonly #groups: FileGroup[] = [];
  readonly #reloads = new Map<string, FileReload>();
  /** Why the files that readers report of are refused: said once. */
  readonly #refusals = new Map<string, string>();
  readonly #log: Logger;
  readonly #ticker: Ticker;
  #looking: Promise<void> | undefined;

  constructor({ log, everyMs = defaultEveryMs, clock = systemClock }: ReloadableFilesOptions) {
    this.#log = log;
    this.#ticker = new Ticker(clock, everyMs, () => void this.look());
  }

  /** What came of the changes so far. Content is counted where there is a check of it, else by its reader. */
  get reloads(): Iterable<FileReload> {
    return this.#reloads.values();
  }

  /**
   * Rejects when the file cannot be read, or `check` refuses it, now.
   * @param check throws or rejects for a text that cannot be used: a later one is logged, and the text before stays.
   * Absent where the reader of the text does the same.
   */
  async watch(path: string, check?: Check): Promise<ReloadableText> {
    const [text] = await this.watchTogether([path], check === undefined ? undefined : ([only]) => check(only!));
    return text!;
  }

  /**
   * The same for files that fit only each other, as a certificate and its key do: all texts change at once, when
   * `check` accepts them.
   */
  async watchTogether(paths: readonly string[], check?: CheckAll): Promise<readonly ReloadableText[]> {
    const texts = await readAll(paths);
    await check?.(texts);
    const group = new FileGroup(paths, texts, check);
    this.#groups.push(group);
    this.#ticker.start();
    return group.texts;
  }

  /** Looks at all files now. */
  look(): Promise<void> {
    this.#looking ??= Promise.all(this.#groups.map((group) => this.#lookAt(group)))
      .then(() => undefined)
      .finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  taken(files: readonly string[]): void {
    this.#refusals.delete(JSON.stringify(files));
    this.#log.info(fileDetails(files), 'read again');
    this.#count(files, 'success');
  }

  refused(files: readonly string[], error: unknown): void {
    const key = JSON.stringify(files);
    const why = String(error);
    if (this.#refusals.get(key) === why) return;
    this.#refusals.set(key, why);
    this.#refuse(files, error);
  }

  async stop(): Promise<void> {
    this.#ticker.stop();
    await this.#looking;
  }

  async #lookAt(group: FileGroup): Promise<void> {
    const { paths } = group;
    try {
      const changed = await group.look();
      if (changed.length === 0) return;
      this.#log.info(fileDetails(changed), 'read again');
      if (group.isChecked) this.#count(changed, 'success');
      group.tell(changed, (err) => this.#log.error({ err, ...fileDetails(changed) }, 'new content was not taken over'));
    } catch (error) {
      if (!(error instanceof RefusedFiles)) throw error;
      this.#refuse(paths, error.cause);
    }
  }

  #refuse(paths: readonly string[], err: unknown): void {
    this.#log.warn({ err, ...fileDetails(paths) }, 'the new content cannot be used; the one before stays in force');
    this.#count(paths, 'failure');
  }

  #count(paths: readonly string[], status: ReloadStatus): void {
    const lastAt = Date.now();
    for (const file of paths) {
      const key = JSON.stringify([file, status]);
      this.#reloads.set(key, { file, status, lastAt, count: (this.#reloads.get(key)?.count ?? 0) + 1 });
    }
  }
}

const readAll = (paths: readonly string[]): Promise<string[]> =>
  Promise.all(paths.map((path) => readFile(path, 'utf8')));

const fileDetails = (paths: readonly string[]): object => (paths.length === 1 ? { file: paths[0] } : { files: paths });

class RefusedFiles extends Error {}

class FileGroup {
  readonly paths: readonly string[];
  readonly texts: readonly WatchedText[];
  readonly #check: CheckAll | undefined;
  /** What was refused, its texts or why they could not be read: said once. */
  #refused: string | undefined;

  constructor(paths: readonly string[], texts: readonly string[], check: CheckAll | undefined) {
    this.paths = paths;
    this.texts = texts.map((text) => new WatchedText(text));
    this.#check = check;
  }

  get isChecked(): boolean {
    return this.#check !== undefined;
  }

  /**
   * Resolves with the paths of the files that have a new text now. Rejects with {@link RefusedFiles} for what is
   * refused and was not before.
   */
  async look(): Promise<readonly string[]> {
    let texts: string[];
    try {
      texts = await readAll(this.paths);
    } catch (cause) {
      return this.#refuse(String(cause), cause);
    }
    const content = JSON.stringify(texts);
    if (content === this.#refused) return [];
    const changed = this.paths.filter((_, i) => texts[i] !== this.texts[i]!.get());
    try {
      if (changed.length > 0) await this.#check?.(texts);
    } catch (cause) {
      return this.#refuse(content, cause);
    }
    this.#refused = undefined;
    this.texts.forEach((text, i) => text.set(texts[i]!));
    return changed;
  }

  #refuse(found: string, cause: unknown): readonly string[] {
    if (found === this.#refused) return [];
    this.#refused = found;
    throw new RefusedFiles('the files cannot be used', { cause });
  }

  tell(changed: readonly string[], onError: (error: unknown) => void): void {
    this.texts.forEach((text, i) => {
      if (changed.includes(this.paths[i]!)) text.tell(onError);
    });
  }
}

class WatchedText implements ReloadableText {
  readonly #listeners = new Set<() => void>();
  #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get(): string {
    return this.#text;
  }

  set(text: string): void {
    this.#text = text;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(onError: (error: unknown) => void): void {
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (error) {
        onError(error);
      }
    }
  }
}
