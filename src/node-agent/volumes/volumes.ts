/** The volumes of pods as their workers see them. */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { CsiFigures } from './csi/usage.ts';

export interface MountedVolume {
  /** On the node. */
  readonly path: string;
  /** Whatever the mounts of containers say. */
  readonly isReadOnly?: boolean | undefined;
  /** The runtime mounts this image, once it is pulled; there is no path then. */
  readonly image?: VolumeImage | undefined;
}

export interface VolumeImage {
  readonly reference: string;
  readonly pullPolicy: 'Always' | 'IfNotPresent' | 'Never' | undefined;
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
  /** What is there from before this process. */
  start(): Promise<void>;
  /**
   * Makes what is missing, and brings what follows an object up to date. Waits for what is not there yet; rejects when
   * that takes too long, or the signal aborts.
   */
  setUp(pod: Pod, options: VolumeSetUp): Promise<MountedVolumes>;
  /** What the driver of a CSI volume says of its use; undefined where it does not. @param directory of the volume */
  csiUsage(directory: string): Promise<CsiFigures | undefined>;
  /** Unmounts and removes everything of the pod. Done again, it goes on with what is left. */
  tearDown(uid: string): Promise<void>;
}

/** The step that failed, as events name it. */
export type VolumeOperation = 'SetUp' | 'MountDevice' | 'SetUpDevice' | 'MapPodDevice';

/** Why a volume is not there, in upstream's words. */
export class VolumeError extends Error {
  override readonly name = 'VolumeError';
  readonly operation: VolumeOperation;

  constructor(
    message: string,
    { operation = 'SetUp', cause }: { readonly operation?: VolumeOperation; readonly cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.operation = operation;
  }
}
