/**
 * A directory or file of this node that a persistent volume stands for.
 * @see {@link https://kubernetes.io/docs/concepts/storage/volumes/#local | Volumes: local}
 */
import { mkdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { undefinedWhenAbsent } from '../../../base/undefined-when-absent.ts';
import { bindMount, isMountPoint } from '../mounts.ts';
import { setOwnership } from '../ownership.ts';
import { fsGroupOf, type VolumeKind } from '../volume-kind.ts';
import { VolumeError } from '../volumes.ts';

export const local: VolumeKind = {
  plugin: 'kubernetes.io~local-volume',
  async setUp({ path: target, pod, persistent }) {
    const source = persistent?.spec.local?.path ?? '';
    if (persistent?.spec.volumeMode === 'Block') return { path: await linkDevice(source, target) };
    if (await isMountPoint(target)) return { path: target };
    const stats = await stat(source).catch(undefinedWhenAbsent);
    if (stats === undefined) throw new VolumeError(`path "${source}" does not exist`);
    if (stats.isDirectory()) await mkdir(target, { recursive: true, mode: 0o750 });
    else {
      await mkdir(path.dirname(target), { recursive: true, mode: 0o750 });
      await writeFile(target, '', { flag: 'a' });
    }
    await bindMount(source, target);
    const group = fsGroupOf(pod);
    const policy = pod.spec.securityContext?.fsGroupChangePolicy;
    if (group !== undefined) await setOwnership(target, { group, onlyOnMismatch: policy === 'OnRootMismatch' });
    return { path: target };
  },
};

/** The devices of a pod are found in its directory. */
async function linkDevice(device: string, directory: string): Promise<string> {
  const stats = await stat(device).catch(undefinedWhenAbsent);
  if (stats?.isBlockDevice() !== true)
    throw new VolumeError(`path "${device}" is not a block device`, { operation: 'MapPodDevice' });
  const link = directory.replace('/volumes/', '/volumeDevices/');
  await mkdir(path.dirname(link), { recursive: true, mode: 0o750 });
  await rm(link, { force: true });
  await symlink(device, link);
  return link;
}
