/** Prefers nodes that have the images of the pod. */
import type { PodSpec } from '../../api/gen/types/core-v1.ts';
import { type Has, maxNodeScore, type ScorePlugin } from '../framework/plugin.ts';
import type { ImageState } from '../state/node-info.ts';

const mebibyte = 1024 * 1024;
/** Images below do not matter. */
const minBytes = 23 * mebibyte;
/** For each container: more makes no difference. */
const maxBytesPerContainer = 1000 * mebibyte;

export interface NodeCount {
  readonly nodes: { readonly length: number };
}

export function createImageLocality(cluster: NodeCount): Has<ScorePlugin> {
  return {
    name: 'ImageLocality',
    score(_, { pod }, { images }) {
      if (images.size === 0) return 0;
      return imageScore(pod.spec, images, cluster.nodes.length);
    },
  };
}

export function imageScore(spec: PodSpec, images: ReadonlyMap<string, ImageState>, nodeCount: number): number {
  let bytes = 0;
  let containers = 0;
  for (const list of [spec.initContainers, spec.containers])
    for (const { image = '' } of list ?? []) {
      containers++;
      const state = images.get(withTag(image));
      // An image that few nodes have counts less, so that they do not get all pods that use it.
      if (state !== undefined) bytes += Math.floor((state.size * state.nodes) / nodeCount);
    }
  const max = maxBytesPerContainer * containers;
  return Math.floor((maxNodeScore * (Math.min(Math.max(bytes, minBytes), max) - minBytes)) / (max - minBytes));
}

/** As nodes report images. */
export const withTag = (image: string): string =>
  image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;
