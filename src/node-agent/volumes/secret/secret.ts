/** @see {@link https://kubernetes.io/docs/concepts/storage/volumes/#secret | Volumes: secret} */
import { secretFiles } from '../payload/payload.ts';
import { writePayload } from '../payload/payload-volume.ts';
import type { VolumeKind, VolumeRequest } from '../volume-kind.ts';
import { VolumeError } from '../volumes.ts';

export const secret: VolumeKind = {
  plugin: 'kubernetes.io~secret',
  async setUp(request) {
    const { secretName = '', items, defaultMode = 0o644, optional = false } = request.volume.secret ?? {};
    const object = await readSecret(request, secretName, optional);
    const files = secretFiles(object, items, { defaultMode, isOptional: optional });
    return writePayload(request, new Map(files), { inMemory: true });
  },
};

export async function readSecret({ pod, objects, signal }: VolumeRequest, name: string, isOptional: boolean) {
  const object = await objects.secret(pod.metadata.namespace ?? '', name, signal);
  if (object === undefined && !isOptional) throw new VolumeError(`secret "${name}" not found`);
  return object;
}
