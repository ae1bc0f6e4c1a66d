/** Mounts of this machine, by the programs of util-linux. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { MountShell } from './mount-shell.ts';

const run = promisify(execFile);
const shell = new MountShell();
/** A mount that hangs holds up its pod only, and not for ever. */
const timeoutMs = 120_000;

export interface MountPoint {
  readonly path: string;
  /** Of its file system: `tmpfs`. */
  readonly type: string;
}

/** All mount points at or below the path, the deepest first. */
export async function mountsBelow(path: string): Promise<MountPoint[]> {
  const text = await readFile('/proc/self/mountinfo', 'utf8');
  return mountPoints(text)
    .filter((point) => point.path === path || point.path.startsWith(`${path}/`))
    .reverse();
}

/** In the order of their mounting. */
export const mountPoints = (mountinfo: string): MountPoint[] =>
  mountinfo.split('\n').flatMap((line) => {
    const path = line.split(' ')[4];
    const type = / - (\S+)/.exec(line)?.[1] ?? '';
    return path === undefined ? [] : [{ path: unescaped(path), type }];
  });

/** Blanks and the like are written as octal numbers. */
const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

export async function isMountPoint(path: string): Promise<boolean> {
  return (await mountsBelow(path)).some((point) => point.path === path);
}

/** Its content is not swapped out, where the kernel can do that (6.4). */
export async function mountTmpfs(target: string, options: readonly string[]): Promise<void> {
  const request = { type: 'tmpfs', source: 'tmpfs', target };
  try {
    await mountFileSystem({ ...request, options: [...options, 'noswap'] });
  } catch {
    await mountFileSystem({ ...request, options });
  }
}

export interface MountRequest {
  readonly type: string;
  readonly source: string;
  readonly target: string;
  readonly options: readonly string[];
  /** A program that is called with the command `mount`; empty: `mount` itself. */
  readonly mounterPath?: string | undefined;
}

/** Throws with what the program `mount` says. */
export async function mountFileSystem({ mounterPath = '', ...request }: MountRequest): Promise<void> {
  const { type, source, target, options } = request;
  const flags = options.length === 0 ? [] : ['-o', options.join(',')];
  try {
    await runFor(type, [
      ...(mounterPath === '' ? [] : [mounterPath]),
      'mount',
      '-t',
      type,
      ...flags,
      '--',
      source,
      target,
    ]);
  } catch (error) {
    const { stderr = '', message } = error as Error & { readonly stderr?: string };
    throw new Error(`mount failed: ${stderr.trim() || message}`, { cause: error });
  }
}

/** What is in memory cannot hang; anything else has a process that ends after its time. */
async function runFor(type: string, [program = '', ...words]: readonly string[]): Promise<void> {
  if (type === 'tmpfs' && MountShell.canRun(words)) await shell.run([program, ...words]);
  else await run(program, words, { timeout: timeoutMs });
}

/** The source may be a link in /proc: it is not resolved by name. */
export async function bindMount(source: string, target: string): Promise<void> {
  await run('mount', ['--no-canonicalize', '--bind', source, target], { timeout: timeoutMs });
}

export async function unmount({ path, type }: MountPoint): Promise<void> {
  await runFor(type, ['umount', path]);
}
