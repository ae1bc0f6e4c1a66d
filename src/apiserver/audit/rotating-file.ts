/**
 * A file that is set aside when it is full: `audit.log` becomes `audit-2024-01-02T03-04-05.000.log` (UTC), compressed
 * if wanted, and old ones are deleted by number and age. Names and rules are those of the library that the reference
 * uses, so that what collects its logs finds ours.
 *
 * One caller at a time: the next append waits for the one before.
 */
import { constants } from 'node:fs';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../../base/logger.ts';
import { makeDirectories } from '../../base/make-directories.ts';
import { privateFileMode, setMode } from '../../base/private-files.ts';
import { backupName, exists, RotatedFiles, type RotationOptions } from './rotated-files.ts';
import { undefinedWhenAbsent } from '../../base/undefined-when-absent.ts';

const directoryMode = 0o755;

export class RotatingFile {
  readonly #options: RotationOptions;
  readonly #rotated: RotatedFiles;
  readonly #now: () => Date;
  #file: { readonly handle: FileHandle; size: number } | undefined;

  constructor(
    options: RotationOptions,
    { log, now = () => new Date() }: { readonly log: Logger; readonly now?: () => Date },
  ) {
    this.#options = options;
    this.#now = now;
    this.#rotated = new RotatedFiles(options, { log, now });
  }

  get maxBytes(): number {
    return this.#options.maxBytes;
  }

  /**
   * Lines end with a line break and are no longer than the file may be; each ends up whole in one file. Rejects with
   * nothing of the last part written.
   */
  async append(lines: readonly string[]): Promise<void> {
    const { maxBytes } = this.#options;
    const all = Buffer.from(lines.join(''));
    let file = (this.#file ??= await this.#open(Buffer.byteLength(lines[0]!)));
    if (file.size + all.length <= maxBytes) return write(file, all);
    let waiting: Buffer[] = [];
    let bytes = 0;
    for (const line of lines.map((text) => Buffer.from(text))) {
      if (file.size + bytes + line.length > maxBytes) {
        await write(file, Buffer.concat(waiting));
        [waiting, bytes] = [[], 0];
        file = await this.#rotate();
      }
      waiting.push(line);
      bytes += line.length;
    }
    await write(file, Buffer.concat(waiting));
  }

  /** Also waits until rotated files are compressed. */
  async close(): Promise<void> {
    await this.#closeFile();
    await this.#rotated.idle();
  }

  /** Goes on with the file that is there, unless the next line would fill it. */
  async #open(nextBytes: number): Promise<{ handle: FileHandle; size: number }> {
    this.#rotated.tidy();
    const size = await sizeOf(this.#options.path);
    if (size === undefined || size + nextBytes >= this.#options.maxBytes) return this.#create();
    return { handle: await open(this.#options.path, 'a'), size };
  }

  async #rotate(): Promise<{ handle: FileHandle; size: number }> {
    await this.#closeFile();
    this.#file = await this.#create();
    this.#rotated.tidy();
    return this.#file;
  }

  /** A new file under the name, after what is there was set aside. */
  async #create(): Promise<{ handle: FileHandle; size: number }> {
    const { path: name } = this.#options;
    await makeDirectories(path.dirname(name), directoryMode);
    const mode = (await setAside(name, this.#now())) ?? privateFileMode;
    const handle = await open(
      name,
      constants.O_CREAT | constants.O_WRONLY | constants.O_TRUNC | constants.O_APPEND,
      privateFileMode,
    );
    // Independent of the umask: the new file has the permissions of the old one.
    await setMode(handle, mode);
    return { handle, size: 0 };
  }

  async #closeFile(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.handle.close();
  }
}

/** Returns the file's permissions, which the next one takes over. Two rotations within a millisecond get two names. */
async function setAside(name: string, now: Date): Promise<number | undefined> {
  const found = await stat(name).catch(undefinedWhenAbsent);
  if (found === undefined) return undefined;
  let time = now.getTime();
  while ((await exists(backupName(name, new Date(time)))) || (await exists(`${backupName(name, new Date(time))}.gz`)))
    time++;
  await rename(name, backupName(name, new Date(time)));
  return found.mode & 0o777;
}

async function sizeOf(name: string): Promise<number | undefined> {
  return (await stat(name).catch(undefinedWhenAbsent))?.size;
}

/** All of it or nothing: half a line would corrupt the next one. */
async function write(file: { readonly handle: FileHandle; size: number }, bytes: Buffer): Promise<void> {
  let written = 0;
  try {
    while (written < bytes.length) written += (await file.handle.write(bytes, written)).bytesWritten;
    file.size += bytes.length;
  } catch (error) {
    if (written > 0) await file.handle.truncate(file.size).catch(() => undefined);
    throw error;
  }
}
