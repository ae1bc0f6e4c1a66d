import { open, unlink } from 'node:fs/promises';
import path from 'node:path';

const CHUNK = Buffer.alloc(256 * 1024);

/**
 * Whether so many bytes can be written to the directory, found out by writing them: the free space that the system
 * reports ignores quotas and reserved blocks. Any other error means that space is not the cause.
 */
export async function hasDiskSpace(directory: string, bytes: number): Promise<boolean> {
  const file = path.join(directory, '.space');
  try {
    await writeZeros(file, bytes);
    return true;
  } catch (error) {
    return !isNoSpace(error);
  } finally {
    await unlink(file).catch(() => {});
  }
}

async function writeZeros(file: string, bytes: number): Promise<void> {
  const handle = await open(file, 'w');
  try {
    for (let left = bytes; left > 0; left -= CHUNK.length)
      await handle.writeFile(left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK);
    // Some file systems find out only now.
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

export function isNoSpace(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}
