/**
 * Keeps the logs of containers small: one that has grown too large is renamed, the runtime opens a new one, and the
 * older ones are compressed and in the end removed.
 * @see {@link https://kubernetes.io/docs/concepts/cluster-administration/logging/#log-rotation | Log rotation}
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { undefinedWhenAbsent } from '../../base/undefined-when-absent.ts';
import type { Logger } from '../../base/logger.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';

export interface LogLimits {
  readonly maxBytes: number;
  /** Of one container, with the one that is written. At least 2. */
  readonly maxFiles: number;
  /** Logs that are rotated at the same time. */
  readonly workers: number;
}

export interface RunningLog {
  readonly containerId: string;
  readonly path: string;
}

export interface LogRotatorOptions {
  readonly runtime: Pick<ContainerRuntime, 'reopenContainerLog'>;
  readonly limits: LogLimits;
  readonly nowMs: () => number;
  readonly log: Logger;
}

export class LogRotator {
  readonly #options: LogRotatorOptions;

  constructor(options: LogRotatorOptions) {
    this.#options = options;
  }

  /** Looks at the logs of all containers that run. What fails is tried again with the next look. */
  async look(logs: readonly RunningLog[]): Promise<void> {
    const queue = [...logs];
    const { limits, log } = this.#options;
    const work = async (): Promise<void> => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop())
        await this.#lookAt(next).catch((error: unknown) => log.warn({ err: error }, 'a log could not be rotated'));
    };
    await Promise.all(Array.from({ length: limits.workers }, work));
  }

  async #lookAt(running: RunningLog): Promise<void> {
    const stats = await stat(running.path).catch(undefinedWhenAbsent);
    if (stats === undefined) {
      // The agent ended between the renaming and the opening, or somebody removed the file.
      await this.#options.runtime.reopenContainerLog({ containerId: running.containerId });
      return;
    }
    if (stats.size < this.#options.limits.maxBytes) return;
    await this.#rotate(running);
  }

  async #rotate({ containerId, path: file }: RunningLog): Promise<void> {
    const { limits, runtime, nowMs } = this.#options;
    const rotated = await removeUnusable(await rotatedLogs(file));
    // With the one that is written, and the one that it becomes now.
    const kept = rotated.slice(Math.max(0, rotated.length - (limits.maxFiles - 2)));
    for (const old of rotated) if (!kept.includes(old)) await rm(old, { force: true });
    for (const old of kept) if (!old.endsWith('.gz')) await compress(old);
    const renamed = `${file}.${stamp(nowMs())}`;
    await rename(file, renamed);
    try {
      await runtime.reopenContainerLog({ containerId });
    } catch (error) {
      // The container writes on into the file under its old name.
      await rename(renamed, file);
      throw error;
    }
  }
}

const temporary = '.tmp';

/** The oldest first. */
async function rotatedLogs(file: string): Promise<string[]> {
  const directory = path.dirname(file);
  const names = (await readdir(directory)).filter((name) => name.startsWith(`${path.basename(file)}.`));
  return names.sort().map((name) => path.join(directory, name));
}

/** What an agent left that ended while it compressed. */
async function removeUnusable(files: readonly string[]): Promise<string[]> {
  const unusable = new Set(files.filter((file) => file.endsWith(temporary)));
  for (const file of files) if (files.includes(`${file}.gz`)) unusable.add(file);
  for (const file of unusable) await rm(file, { force: true });
  return files.filter((file) => !unusable.has(file));
}

async function compress(file: string): Promise<void> {
  const unfinished = `${file}${temporary}`;
  await pipeline(createReadStream(file), createGzip(), createWriteStream(unfinished));
  await rename(unfinished, `${file}.gz`);
  await rm(file);
}

/** `20260102-030405` */
const stamp = (nowMs: number): string =>
  new Date(nowMs).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
