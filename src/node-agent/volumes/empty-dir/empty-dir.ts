/**
 * A directory that lives as long as its pod, on disk or in memory.
 * @see {@link https://kubernetes.io/docs/concepts/storage/volumes/#emptydir | Volumes: emptyDir}
 */
import { chmod, chown, mkdir } from 'node:fs/promises';
import { parseQuantity } from '../../../machinery/quantity.ts';
import { podLimits } from '../../../api/core/pods/pod-requests.ts';
import { isMountPoint, mountTmpfs } from '../mounts.ts';
import { fsGroupOf, type VolumeKind, type VolumeRequest } from '../volume-kind.ts';

const setGroupId = 0o2000;

export const emptyDir: VolumeKind = {
  plugin: 'kubernetes.io~empty-dir',
  async setUp(request) {
    const { path, pod, volume } = request;
    const isNew = (await mkdir(path, { recursive: true })) !== undefined;
    const medium = volume.emptyDir?.medium ?? '';
    const mustMount = medium === 'Memory' && !(await isMountPoint(path));
    if (mustMount) await mountTmpfs(path, memoryOptions(request));
    if (isNew || mustMount) {
      const group = fsGroupOf(pod);
      if (group !== undefined) await chown(path, 0, group);
      await chmod(path, 0o777 | (group === undefined ? 0 : setGroupId));
    }
    return { path };
  },
};

/** As much as the pod may use, and no more than the volume says. */
function memoryOptions({ volume, pod, objects }: VolumeRequest): string[] {
  const { sizeLimit } = volume.emptyDir ?? {};
  const all = [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])];
  const isLimited = all.every(({ resources }) => resources?.limits?.['memory'] !== undefined);
  const ofPod = podLimits(pod, { podLevel: false, fromStatus: false, overhead: true }).get('memory')?.value();
  const ofNode = objects.allocatable()['memory'];
  const limits = [
    sizeLimit === undefined ? 0n : parseQuantity(sizeLimit).value(),
    isLimited ? (ofPod ?? 0n) : 0n,
    ofNode === undefined ? 0n : parseQuantity(ofNode).value(),
  ].filter((bytes) => bytes > 0n);
  if (limits.length === 0) return [];
  return [`size=${limits.reduce((least, bytes) => (bytes < least ? bytes : least))}`];
}
