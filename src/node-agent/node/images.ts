/** The images of a node as its status lists them. */
import type { ContainerImage } from '../../api/gen/types/core-v1.ts';
import type { RuntimeImage } from './node-runtime.ts';

/** Of one image: an attacker could give it any number. */
const maxNames = 5;

/** The largest first. @param max -1 for all */
export function imagesOfStatus(images: readonly RuntimeImage[], max: number): ContainerImage[] {
  const sorted = images.toSorted((a, b) => b.size - a.size || (a.id < b.id ? -1 : 1));
  return (max < 0 ? sorted : sorted.slice(0, max)).map(({ repoDigests, repoTags, size }) => ({
    names: [...repoDigests, ...repoTags].slice(0, maxNames),
    sizeBytes: size,
  }));
}
