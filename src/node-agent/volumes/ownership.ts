/**
 * Lets the group of a pod use a volume: files get the group and may be read and written by it, directories pass the
 * group on to what is made in them.
 * @see {@link https://kubernetes.io/docs/tasks/configure-pod-container/security-context/ | Security context}, fsGroup
 */
import { chmod, lchown, lstat, readdir } from 'node:fs/promises';

export interface OwnershipOptions {
  readonly group: number;
  /** Nothing is changed where the top is right already. */
  readonly onlyOnMismatch: boolean;
  readonly isReadOnly?: boolean;
}

const setGroupId = 0o2000;

export async function setOwnership(path: string, options: OwnershipOptions): Promise<void> {
  const stats = await lstat(path);
  const wanted = modeOf(stats.mode & 0o7777, stats.isDirectory(), options.isReadOnly === true);
  const isRight = stats.gid === options.group && (stats.mode & 0o7777) === wanted;
  if (options.onlyOnMismatch && isRight) return;
  await setBelow(path, options);
}

async function setBelow(path: string, { group, isReadOnly = false }: OwnershipOptions): Promise<void> {
  const stats = await lstat(path);
  await lchown(path, stats.uid, group);
  // The target of a link is not the volume's.
  if (stats.isSymbolicLink()) return;
  await chmod(path, modeOf(stats.mode & 0o7777, stats.isDirectory(), isReadOnly));
  if (!stats.isDirectory()) return;
  for (const name of await readdir(path))
    await setBelow(`${path}/${name}`, { group, isReadOnly, onlyOnMismatch: false });
}

const modeOf = (mode: number, isDirectory: boolean, isReadOnly: boolean): number =>
  mode | (isReadOnly ? 0o440 : 0o660) | (isDirectory ? setGroupId | (isReadOnly ? 0o550 : 0o770) : 0);
