/** @see {@link https://kubernetes.io/docs/concepts/storage/volumes/#configmap | Volumes: configMap} */
import { configMapFiles } from '../payload/payload.ts';
import { writePayload } from '../payload/payload-volume.ts';
import type { VolumeKind, VolumeRequest } from '../volume-kind.ts';
import { VolumeError } from '../volumes.ts';

export const configMap: VolumeKind = {
  plugin: 'kubernetes.io~configmap',
  async setUp(request) {
    const { name = '', items, defaultMode = 0o644, optional = false } = request.volume.configMap ?? {};
    const map = await readConfigMap(request, name, optional);
    const files = configMapFiles(map, items, { defaultMode, isOptional: optional });
    return writePayload(request, new Map(files), { inMemory: false });
  },
};

export async function readConfigMap({ pod, objects, signal }: VolumeRequest, name: string, isOptional: boolean) {
  const map = await objects.configMap(pod.metadata.namespace ?? '', name, signal);
  if (map === undefined && !isOptional) throw new VolumeError(`configmap "${name}" not found`);
  return map;
}
