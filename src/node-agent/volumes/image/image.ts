/**
 * An image as a volume: the runtime mounts it, once the container that uses it has had it pulled.
 * @see {@link https://kubernetes.io/docs/concepts/storage/volumes/#image | Volumes: image}
 */
import type { VolumeKind } from '../volume-kind.ts';

export const imageVolume: VolumeKind = {
  plugin: 'kubernetes.io~image',
  setUp({ volume }) {
    const { reference = '', pullPolicy } = volume.image ?? {};
    return Promise.resolve({ path: '', isReadOnly: true, image: { reference, pullPolicy } });
  },
};
