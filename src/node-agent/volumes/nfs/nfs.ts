/**
 * A directory of a server, by NFS. A server that hangs holds up the pods of its volumes only.
 * @see {@link https://kubernetes.io/docs/concepts/storage/volumes/#nfs | Volumes: nfs}
 */
import { mkdir } from 'node:fs/promises';
import { isMountPoint, mountFileSystem } from '../mounts.ts';
import type { VolumeKind } from '../volume-kind.ts';

/** @param mounterPath a program that is called in place of `mount`; empty for none */
export const nfs = (mounterPath = ''): VolumeKind => ({
  plugin: 'kubernetes.io~nfs',
  async setUp({ volume, path, persistent }) {
    // What lies below a mount that hangs is not looked at.
    if (await isMountPoint(path)) return { path };
    const { server = '', path: exported = '', readOnly = false } = volume.nfs ?? {};
    await mkdir(path, { recursive: true, mode: 0o750 });
    const options = [...(readOnly ? ['ro'] : []), ...(persistent?.spec.mountOptions ?? [])];
    await mountFileSystem({ type: 'nfs', source: `${server}:${exported}`, target: path, options, mounterPath });
    return { path };
  },
});
