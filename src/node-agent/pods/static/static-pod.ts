/**
 * Pods that a node runs by itself, from files or an address. The API server shows a mirror of each.
 * @see {@link https://kubernetes.io/docs/tasks/configure-pod-container/static-pod/ | Create static Pods}
 */
import type { Pod } from '../../../api/gen/types/core-v1.ts';

export const configSource = 'kubernetes.io/config.source';
export const configHash = 'kubernetes.io/config.hash';
export const configSeen = 'kubernetes.io/config.seen';
export const configMirror = 'kubernetes.io/config.mirror';

export const isStaticPod = ({ metadata }: Pick<Pod, 'metadata'>): boolean => {
  const source = metadata.annotations?.[configSource];
  return source !== undefined && source !== 'api' && !isMirrorPod({ metadata });
};

/** In the API server. */
export const isMirrorPod = ({ metadata }: Pick<Pod, 'metadata'>): boolean =>
  metadata.annotations?.[configMirror] !== undefined;
