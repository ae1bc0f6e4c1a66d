/** The directory of a volume that the agent makes itself, on disk or in memory, which all users may write to. */
import { chmod, chown, mkdir, stat } from 'node:fs/promises';
import { isMountPoint, mountTmpfs } from './mounts.ts';

export interface DirectoryOptions {
  /** The group that the volume belongs to. */
  readonly group: number | undefined;
  /** Options of the file system in memory; undefined for a directory on disk. */
  readonly tmpfs: readonly string[] | undefined;
}

const setGroupId = 0o2000;

/** One that is there already stays as it is. */
export async function prepareDirectory(path: string, { group, tmpfs }: DirectoryOptions): Promise<void> {
  const isNew = (await mkdir(path, { recursive: true })) !== undefined;
  const mustMount = tmpfs !== undefined && !(await isMountPoint(path));
  if (mustMount) await mountTmpfs(path, tmpfs);
  if (!isNew && !mustMount) return;
  if (group !== undefined) await chown(path, 0, group);
  // A file system in memory has the sticky bit, which stays.
  const mode = (await stat(path)).mode & 0o7777;
  const wanted = mode | 0o777 | (group === undefined ? 0 : setGroupId);
  if (mode !== wanted) await chmod(path, wanted);
}
