/** How many files this process may open, by the program `prlimit`: this runtime cannot say it to the kernel itself. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Logger } from '../../base/logger.ts';

export interface OpenFilesOptions {
  readonly most: number;
  readonly pid: number;
  readonly log: Logger;
  /** For tests. */
  readonly program?: string | undefined;
}

/** A machine that does not let the process have as many says so once. */
export async function limitOpenFiles({ most, pid, log, program = 'prlimit' }: OpenFilesOptions): Promise<void> {
  try {
    await promisify(execFile)(program, [`--pid=${pid}`, `--nofile=${most}:${most}`]);
  } catch (error) {
    const { stderr = '', message } = error as Error & { readonly stderr?: string };
    log.warn({ maxOpenFiles: most, reason: stderr.trim() || message }, 'the number of open files could not be set');
  }
}
