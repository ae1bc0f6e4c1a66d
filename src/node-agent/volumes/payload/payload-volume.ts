/** A volume whose files the agent writes: a directory, in memory where it may hold secrets, and the atomic writer. */
import { atomicWrite, type Payload } from '../atomic-writer.ts';
import { prepareDirectory } from '../prepare-directory.ts';
import { fsGroupOf, type VolumeRequest } from '../volume-kind.ts';
import type { MountedVolume } from '../volumes.ts';

export async function writePayload(
  { path, pod, nowMs }: VolumeRequest,
  payload: Payload,
  { inMemory }: { readonly inMemory: boolean },
): Promise<MountedVolume> {
  const group = fsGroupOf(pod);
  await prepareDirectory(path, { group, tmpfs: inMemory ? [] : undefined });
  await atomicWrite(path, payload, { nowMs, group });
  return { path, isReadOnly: true };
}
