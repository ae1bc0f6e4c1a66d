/**
 * Reads the log of a container from its file, piece by piece: the next piece is read when the one before was taken.
 *
 * A reader that follows goes on when the file grows, and with the file that takes its place when it is rotated: what is
 * rotated away is renamed, and the runtime opens a new one under the old name. It ends with the container.
 */
import { watch } from 'node:fs';
import { constants, open, type FileHandle, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, sleep } from '../../../base/clock.ts';
import { LogFormat } from './log-format.ts';
import type { LogQuery } from './log-query.ts';
import { tailOffset } from './log-tail.ts';

export interface LogSource {
  readonly path: string;
  /** Whether more can come. */
  readonly isRunning: () => Promise<boolean>;
}

export interface ReadLogOptions {
  readonly query: LogQuery;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const chunkBytes = 64 * 1024;
/** The container is looked at again after this time, whether its file changed or not. */
const lookEveryMs = 1000;

/** Rejects where the file cannot be opened. */
export async function* readLog(source: LogSource, options: ReadLogOptions): AsyncGenerator<Buffer, void, void> {
  const { query, signal } = options;
  const format = new LogFormat(query);
  let file = await openLog(source.path);
  try {
    const { size } = await file.stat();
    let offset = query.tailLines === undefined ? 0 : await tailOffset(file, size, query.tailLines);
    using changes = query.follow ? new Changes(source.path) : undefined;
    const chunk = Buffer.allocUnsafe(chunkBytes);
    for (;;) {
      // Asked before the file: what was written before the end of the container is then still read.
      const goesOn = changes !== undefined && !signal.aborted && (await source.isRunning());
      const next = goesOn ? await replacement(source.path, file) : undefined;
      for (;;) {
        const { bytesRead } = await file.read(chunk, 0, chunkBytes, offset);
        offset += bytesRead;
        const piece = format.take(chunk.subarray(0, bytesRead));
        if (piece.length > 0) yield piece;
        if (format.isFull || signal.aborted) return void (await next?.close());
        if (bytesRead < chunkBytes) break;
      }
      if (next !== undefined) {
        await file.close();
        [file, offset] = [next, 0];
        format.forgetRest();
      } else if (!goesOn) return;
      else await changes.next(options.clock, signal);
    }
  } finally {
    await file.close();
  }
}

/** Never through a link in the place of the file, and nothing that is no file: a pipe would hold the reader up. */
async function openLog(file: string): Promise<FileHandle> {
  const opened = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if ((await opened.stat()).isFile()) return opened;
  await opened.close();
  throw new Error(`${file} is no file`);
}

/** What has taken the place of the open file. */
async function replacement(file: string, opened: FileHandle): Promise<FileHandle | undefined> {
  try {
    const [now, before] = await Promise.all([stat(file), opened.stat()]);
    return now.ino === before.ino && now.dev === before.dev ? undefined : await openLog(file);
  } catch {
    // Between the two steps of a rotation there is none.
    return undefined;
  }
}

/** Changes of a file and of its name. */
class Changes implements Disposable {
  readonly #stop: () => void;
  #wake: () => void = () => undefined;
  #hasChanged = false;

  constructor(file: string) {
    const name = path.basename(file);
    const watcher = watch(path.dirname(file), (_, changed) => {
      if (changed !== null && changed !== name) return;
      this.#hasChanged = true;
      this.#wake();
    });
    // A folder that is gone: the look at the container ends the reader.
    watcher.on('error', () => undefined);
    this.#stop = () => watcher.close();
  }

  /** Until the next change since the last call, at most a second. */
  async next(clock: Clock, signal: AbortSignal): Promise<void> {
    if (!this.#hasChanged) {
      const woken = new AbortController();
      this.#wake = () => woken.abort();
      await sleep(clock, lookEveryMs, AbortSignal.any([signal, woken.signal]));
    }
    this.#hasChanged = false;
  }

  [Symbol.dispose](): void {
    this.#stop();
  }
}
