/** The volumes of pods as their workers see them. */
import type { Pod } from '../../api/gen/types/core-v1.ts';

export interface MountedVolume {
  /** On the node. */
  readonly path: string;
  /** Whatever the mounts of containers say. */
  readonly isReadOnly?: boolean | undefined;
}

export interface MountedVolumes {
  /** Those that containers mount. */
  readonly byName: ReadonlyMap<string, MountedVolume>;
  /** Groups that may use them. */
  readonly groups: readonly (number | bigint)[];
}

export interface VolumeSetUp {
  readonly podIPs: readonly string[];
  readonly signal: AbortSignal;
}

export interface Volumes {
  /**
   * Makes what is missing, and brings what follows an object up to date. Waits for what is not there yet; rejects when
   * that takes too long, or the signal aborts.
   */
  setUp(pod: Pod, options: VolumeSetUp): Promise<MountedVolumes>;
  /** Unmounts and removes everything of the pod. Done again, it goes on with what is left. */
  tearDown(uid: string): Promise<void>;
}

/** Why a volume is not there, in upstream's words. */
export class VolumeError extends Error {
  override readonly name = 'VolumeError';
}
