/**
 * A part of a volume for a container. The content of a volume belongs to its containers, who may put links anywhere:
 * each part of the path is opened on its own, without following links, and what is mounted is what was opened.
 */
import { constants } from 'node:fs';
import { chmod, type FileHandle, lstat, mkdir, open, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { undefinedWhenAbsent } from '../../base/undefined-when-absent.ts';
import { ContainerConfigError } from '../pods/config/container-config-error.ts';
import { bindMount, isMountPoint } from './mounts.ts';

export interface SubPathRequest {
  /** Of the volume on the node. */
  readonly volumePath: string;
  readonly subPath: string;
  /** Where it is mounted for the container. */
  readonly target: string;
  /** For messages. */
  readonly volumeMount: string;
  readonly container: string;
}

/** Throws `ContainerConfigError`. @returns the path to mount into the container */
export async function prepareSubPath(request: SubPathRequest): Promise<string> {
  const { volumePath, subPath, target, volumeMount, container } = request;
  if (path.isAbsolute(subPath))
    throw new ContainerConfigError(`error SubPath \`${subPath}\` must not be an absolute path`);
  if (subPath.split('/').includes('..'))
    throw new ContainerConfigError(`unable to provision SubPath \`${subPath}\`: must not contain '..'`);
  if (await isMountPoint(target)) return target;
  let opened: FileHandle;
  try {
    opened = await openInside(volumePath, await resolvedInside(volumePath, subPath));
  } catch (error) {
    throw new ContainerConfigError(
      `failed to prepare subPath for volumeMount "${volumeMount}" of container "${container}"`,
      {
        cause: error,
      },
    );
  }
  try {
    const isDirectory = (await opened.stat()).isDirectory();
    await mkdir(path.dirname(target), { recursive: true, mode: 0o750 });
    if (isDirectory) await mkdir(target, { recursive: true, mode: 0o750 });
    else await writeFile(target, '', { flag: 'a', mode: 0o640 });
    await bindMount(`/proc/${process.pid}/fd/${opened.fd}`, target);
    return target;
  } finally {
    await opened.close();
  }
}

/**
 * The parts of the path without links, as far as it is there: a file of a configMap is reached by links inside of the
 * volume. What leaves the volume is refused. Links that are put there from now on are not followed.
 */
async function resolvedInside(volumePath: string, subPath: string): Promise<readonly string[]> {
  const parts = subPath.split('/').filter((part) => part !== '' && part !== '.');
  const root = await realpath(volumePath);
  const missing: string[] = [];
  for (let present = parts; ; present = present.slice(0, -1)) {
    const found = await realpath([root, ...present].join('/')).catch(undefinedWhenAbsent);
    if (found !== undefined) {
      if (found !== root && !found.startsWith(`${root}/`)) throw new Error(`${subPath} leaves the volume`);
      return [...found.slice(root.length).split('/').filter(Boolean), ...missing];
    }
    // A link to what is not there leads to nothing, wherever it points.
    if ((await lstat([root, ...present].join('/')).catch(undefinedWhenAbsent)) !== undefined)
      throw new Error(`${subPath} is a link to nothing`);
    missing.unshift(present.at(-1)!);
  }
}

const pathOnly = 0o10000000;

/** The parts one after the other; directories that are missing are made with the mode of the volume. */
async function openInside(volumePath: string, parts: readonly string[]): Promise<FileHandle> {
  // The volume itself may be reached by links: it is the node's.
  let current = await open(volumePath, constants.O_RDONLY | pathOnly);
  const { mode } = await current.stat();
  try {
    for (const [index, part] of parts.entries()) {
      const next = await openChild(current, part, { mode: mode & 0o7777, isLast: index === parts.length - 1 });
      await current.close();
      current = next;
    }
    return current;
  } catch (error) {
    await current.close().catch(() => undefined);
    throw error;
  }
}

async function openChild(
  parent: FileHandle,
  name: string,
  { mode, isLast }: { readonly mode: number; readonly isLast: boolean },
): Promise<FileHandle> {
  const child = `/proc/self/fd/${parent.fd}/${name}`;
  const flags = constants.O_NOFOLLOW | pathOnly | (isLast ? 0 : constants.O_DIRECTORY);
  const opened = await open(child, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
  if (opened !== undefined) return refuseLink(opened, name);
  await mkdir(child, { mode });
  const made = await refuseLink(await open(child, flags), name);
  // Whatever the mask of the process is.
  await chmod(`/proc/self/fd/${made.fd}`, mode);
  return made;
}

async function refuseLink(opened: FileHandle, name: string): Promise<FileHandle> {
  if (!(await opened.stat()).isSymbolicLink()) return opened;
  await opened.close();
  throw new Error(`${name} is a link`);
}
