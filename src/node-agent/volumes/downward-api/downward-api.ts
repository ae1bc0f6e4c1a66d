/** @see {@link https://kubernetes.io/docs/concepts/storage/volumes/#downwardapi | Volumes: downwardAPI} */
import { downwardFiles } from '../payload/payload.ts';
import { writePayload } from '../payload/payload-volume.ts';
import type { VolumeKind } from '../volume-kind.ts';

export const downwardApi: VolumeKind = {
  plugin: 'kubernetes.io~downward-api',
  setUp(request) {
    const { pod, volume, objects, podIPs, hostIPs } = request;
    const { items, defaultMode = 0o644 } = volume.downwardAPI ?? {};
    const files = downwardFiles(items, pod, { podIPs, hostIPs }, objects.allocatable(), defaultMode);
    return writePayload(request, new Map(files), { inMemory: true });
  },
};
