/**
 * A path of the node.
 * @see {@link https://kubernetes.io/docs/concepts/storage/volumes/#hostpath | Volumes: hostPath}
 */
import type { Stats } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { undefinedWhenAbsent } from '../../../base/undefined-when-absent.ts';
import type { VolumeKind } from '../volume-kind.ts';
import { VolumeError } from '../volumes.ts';

interface Check {
  readonly isRight: (stats: Stats) => boolean;
  /** `is not a …` */
  readonly what: string;
}

const directory: Check = { isRight: (stats) => stats.isDirectory(), what: 'directory' };
const file: Check = { isRight: (stats) => stats.isFile(), what: 'file' };
const checks: Readonly<Record<string, Check>> = {
  DirectoryOrCreate: directory,
  Directory: directory,
  FileOrCreate: file,
  File: file,
  Socket: { isRight: (stats) => stats.isSocket(), what: 'socket file' },
  CharDevice: { isRight: (stats) => stats.isCharacterDevice(), what: 'character device' },
  BlockDevice: { isRight: (stats) => stats.isBlockDevice(), what: 'block device' },
};

export const hostPath: VolumeKind = {
  plugin: 'kubernetes.io~host-path',
  async setUp({ volume }) {
    const { path = '', type = '' } = volume.hostPath ?? {};
    await checkHostPath(path, type);
    return { path };
  },
};

/** Throws `VolumeError` when there is something else. What an empty type names is the runtime's to make. */
export async function checkHostPath(path: string, type: string): Promise<void> {
  const check = checks[type];
  if (check === undefined) return;
  let stats = await stat(path).catch(undefinedWhenAbsent);
  if (stats === undefined && type.endsWith('OrCreate')) {
    if (check === directory) await mkdir(path, { recursive: true, mode: 0o755 });
    else await (await open(path, 'a', 0o644)).close();
    stats = await stat(path);
  }
  if (stats === undefined || !check.isRight(stats))
    throw new VolumeError(`hostPath type check failed: ${path} is not a ${check.what}`);
}
