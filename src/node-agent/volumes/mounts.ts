/** Mounts of this machine, by the programs of util-linux. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** A mount that hangs holds up its pod only, and not for ever. */
const timeoutMs = 120_000;

/** All mount points at or below the path, the deepest first. */
export async function mountsBelow(path: string): Promise<string[]> {
  const text = await readFile('/proc/self/mountinfo', 'utf8');
  return mountPoints(text)
    .filter((point) => point === path || point.startsWith(`${path}/`))
    .reverse();
}

/** In the order of their mounting. */
export const mountPoints = (mountinfo: string): string[] =>
  mountinfo.split('\n').flatMap((line) => {
    const point = line.split(' ')[4];
    return point === undefined ? [] : [unescaped(point)];
  });

/** Blanks and the like are written as octal numbers. */
const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

export async function isMountPoint(path: string): Promise<boolean> {
  return (await mountsBelow(path)).includes(path);
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
}

/** Throws with what the program `mount` says. */
export async function mountFileSystem({ type, source, target, options }: MountRequest): Promise<void> {
  const flags = options.length === 0 ? [] : ['-o', options.join(',')];
  try {
    await run('mount', ['-t', type, ...flags, '--', source, target], { timeout: timeoutMs });
  } catch (error) {
    const { stderr = '', message } = error as Error & { readonly stderr?: string };
    throw new Error(`mount failed: ${stderr.trim() || message}`, { cause: error });
  }
}

/** The source may be a link in /proc: it is not resolved by name. */
export async function bindMount(source: string, target: string): Promise<void> {
  await run('mount', ['--no-canonicalize', '--bind', source, target], { timeout: timeoutMs });
}

export async function unmount(path: string): Promise<void> {
  await run('umount', [path], { timeout: timeoutMs });
}
