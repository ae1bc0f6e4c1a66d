/** A volume whose files the agent writes: a directory, in memory where it may hold secrets, and the atomic writer. */
import { chmod, chown, mkdir } from 'node:fs/promises';
import { atomicWrite, type Payload } from '../atomic-writer.ts';
import { isMountPoint, mountTmpfs } from '../mounts.ts';
import { fsGroupOf, type VolumeRequest } from '../volume-kind.ts';
import type { MountedVolume } from '../volumes.ts';

const setGroupId = 0o2000;

export async function writePayload(
  { path, pod, nowMs }: VolumeRequest,
  payload: Payload,
  { inMemory }: { readonly inMemory: boolean },
): Promise<MountedVolume> {
  const group = fsGroupOf(pod);
  const isNew = (await mkdir(path, { recursive: true })) !== undefined;
  const mustMount = inMemory && !(await isMountPoint(path));
  if (mustMount) await mountTmpfs(path, []);
  if (isNew || mustMount) {
    if (group !== undefined) await chown(path, 0, group);
    await chmod(path, 0o777 | (group === undefined ? 0 : setGroupId));
  }
  await atomicWrite(path, payload, { nowMs, group });
  return { path, isReadOnly: true };
}
