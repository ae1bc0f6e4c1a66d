/** Files that were set aside: compressed, and deleted when they are too many or too old. */
import { createReadStream } from 'node:fs';
import { access, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Logger } from '../../base/logger.ts';
import { privateFileMode, setMode } from '../../base/private-files.ts';

export interface RotationOptions {
  readonly path: string;
  /** The file never gets larger. */
  readonly maxBytes: number;
  /** Days after which a file that was set aside is deleted; 0 keeps it. */
  readonly maxAgeDays: number;
  /** How many are kept; 0 keeps all. */
  readonly maxBackups: number;
  readonly compress: boolean;
}

const dayMs = 24 * 60 * 60 * 1000;
const compressedSuffix = '.gz';

/** `audit.log` set aside at a moment: `audit-2024-01-02T03-04-05.000.log`. */
export function backupName(name: string, time: Date): string {
  const { dir, name: stem, ext } = path.parse(name);
  return path.join(dir, `${stem}-${time.toISOString().slice(0, -1).replaceAll(':', '-')}${ext}`);
}

export const exists = (name: string): Promise<boolean> =>
  access(name).then(
    () => true,
    () => false,
  );

interface RotatedFile {
  readonly path: string;
  /** Milliseconds since 1970, from the name. */
  readonly time: number;
  readonly isCompressed: boolean;
}

export class RotatedFiles {
  readonly #options: RotationOptions;
  readonly #log: Logger;
  readonly #now: () => Date;
  #work: Promise<void> = Promise.resolve();
  /** Rotations while it is at work are seen to by one more round. */
  #wanted = false;

  constructor(options: RotationOptions, { log, now }: { readonly log: Logger; readonly now: () => Date }) {
    this.#options = options;
    this.#log = log;
    this.#now = now;
  }

  /** Starts to delete and compress files that are due, in the background. */
  tidy(): void {
    if (this.#wanted) return;
    this.#wanted = true;
    this.#work = this.#work.then(async () => {
      this.#wanted = false;
      await this.#tidyOnce().catch((error: unknown) =>
        this.#log.warn({ err: error }, 'old audit logs could not be put in order'),
      );
    });
  }

  idle(): Promise<void> {
    return this.#work;
  }

  async #tidyOnce(): Promise<void> {
    const { maxBackups, maxAgeDays, compress } = this.#options;
    if (maxBackups === 0 && maxAgeDays === 0 && !compress) return;
    const files = await this.#list();
    const kept = files.filter(
      (file, index) =>
        (maxBackups === 0 || index < maxBackups) &&
        (maxAgeDays === 0 || file.time >= this.#now().getTime() - maxAgeDays * dayMs),
    );
    for (const file of files) if (!kept.includes(file)) await rm(file.path, { force: true });
    if (compress) for (const file of kept) if (!file.isCompressed) await compressFile(file.path);
  }

  /** Newest first. A file and what was half compressed of it are one. */
  async #list(): Promise<RotatedFile[]> {
    const { dir, name, ext } = path.parse(this.#options.path);
    const pattern = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3})$/;
    const files: RotatedFile[] = [];
    const names = await readdir(dir === '' ? '.' : dir);
    for (const file of names) {
      const isCompressed = file.endsWith(`${ext}${compressedSuffix}`);
      const plain = isCompressed ? file.slice(0, -compressedSuffix.length) : file;
      if (!plain.startsWith(`${name}-`) || !plain.endsWith(ext) || (isCompressed && names.includes(plain))) continue;
      const match = pattern.exec(plain.slice(name.length + 1, plain.length - ext.length));
      if (match !== null)
        files.push({
          path: path.join(dir, file),
          time: Date.parse(`${match[1]!}${match[2]!}:${match[3]!}:${match[4]!}Z`),
          isCompressed,
        });
    }
    return files.sort((a, b) => b.time - a.time);
  }
}

/** What was begun before a crash is overwritten: the file goes only when the other is complete. */
async function compressFile(name: string): Promise<void> {
  const target = name + compressedSuffix;
  try {
    const { mode } = await stat(name);
    // What lies there from before a crash has permissions of its own.
    await rm(target, { force: true });
    const file = await open(target, 'wx', privateFileMode);
    await setMode(file, mode & 0o777);
    await pipeline(createReadStream(name), createGzip(), file.createWriteStream());
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  }
  await rm(name);
}
