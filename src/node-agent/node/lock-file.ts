/**
 * A file that only one agent of a machine has locked at a time. This runtime cannot lock files: a process of `flock`
 * holds the lock, and ends with this one.
 */
import { spawn } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { abortable } from '../../base/abortable.ts';
import type { Clock } from '../../base/clock.ts';
import { pause } from '../../reconcile/pause.ts';

export interface FileLock {
  release(): void;
  /** Resolves when another process waits for the lock, or the signal aborts. */
  contended(clock: Clock, signal: AbortSignal): Promise<void>;
}

/** How often it is looked whether another process waits. */
const lookMs = 1000;

/**
 * Waits until no other process has the lock. Rejects when the file cannot be opened, or the signal aborts.
 *
 * @param program for tests
 */
export async function lockFile(file: string, signal?: AbortSignal, program = 'flock'): Promise<FileLock> {
  const child = spawn(program, ['--exclusive', file, 'cat'], { stdio: ['pipe', 'pipe', 'pipe'] });
  const release = (): void => void child.stdin.end();
  const taken = new Promise<void>((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(said.trim() || `${program} has ended with code ${code}`)));
    child.stdin.on('error', () => undefined);
    // What is said comes back when the lock is taken.
    child.stdout.once('data', () => resolve());
    child.stdin.write('taken\n');
  });
  try {
    await (signal === undefined ? taken : abortable(taken, signal));
  } catch (error) {
    child.kill();
    throw error;
  }
  return {
    release,
    async contended(clock, until) {
      while (!until.aborted && !(await isWaitedFor(file))) await pause(clock, lookMs, until);
    },
  };
}

async function isWaitedFor(file: string): Promise<boolean> {
  const [{ ino }, locks] = await Promise.all([stat(file), readFile('/proc/locks', 'utf8')]);
  return isWaiting(locks, ino);
}

/** Processes that wait are marked by an arrow. Pure. */
export const isWaiting = (locks: string, inode: number): boolean =>
  locks.split('\n').some((line) => new RegExp(`^\\d+: +-> .*:${inode} `).test(line));
