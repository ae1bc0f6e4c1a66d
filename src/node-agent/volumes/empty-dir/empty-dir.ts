/**
 * A directory that lives as long as its pod, on disk or in memory.
 * @see {@link https://kubernetes.io/docs/concepts/storage/volumes/#emptydir | Volumes: emptyDir}
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { parseQuantity } from '../../../machinery/quantity.ts';
import { podLimits } from '../../../api/core/pods/pod-requests.ts';
import { prepareDirectory } from '../prepare-directory.ts';
import { fsGroupOf, type VolumeKind, type VolumeRequest } from '../volume-kind.ts';

export const emptyDir: VolumeKind = {
  plugin: 'kubernetes.io~empty-dir',
  async setUp(request) {
    const { path, pod, volume } = request;
    const isInMemory = volume.emptyDir?.medium === 'Memory';
    await prepareDirectory(path, { group: fsGroupOf(pod), tmpfs: isInMemory ? memoryOptions(request) : undefined });
    await mkdir(request.stateDirectory, { recursive: true, mode: 0o750 });
    await writeFile(`${request.stateDirectory}/ready`, '', { flag: 'a' });
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
