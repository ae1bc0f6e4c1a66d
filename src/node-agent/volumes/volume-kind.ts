/** What the kinds of volumes have in common. */
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '../../api/gen/types/core-v1.ts';
import type { ApiObjects } from '../pods/api-objects.ts';
import type { MountedVolume } from './volumes.ts';

export interface VolumeRequest {
  readonly pod: Pod;
  readonly volume: Volume;
  /** Where the volume lies, when it is the agent's to make: `pods/<uid>/volumes/kubernetes.io~empty-dir/<name>`. */
  readonly path: string;
  /** For what the agent has to remember of the volume: `pods/<uid>/plugins/kubernetes.io~empty-dir/<name>`. */
  readonly stateDirectory: string;
  /** What stands behind the claim that the volume names. */
  readonly persistent?: PersistentVolume | undefined;
  readonly claim?: PersistentVolumeClaim | undefined;
  /** As the pod says of the claim. */
  readonly isReadOnly?: boolean | undefined;
  readonly objects: ApiObjects;
  readonly podIPs: readonly string[];
  readonly hostIPs: readonly string[];
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

export interface VolumeKind {
  /** As directories of pods name it: `kubernetes.io~empty-dir`. */
  readonly plugin: string;
  /** Called again with each sync of the pod. Throws `VolumeError` with upstream's words. */
  setUp(request: VolumeRequest): Promise<MountedVolume>;
  /** Of all volumes of a pod, before their directories go. */
  tearDown?(uid: string): Promise<void>;
}

/** The group that the volumes of a pod belong to. */
export function fsGroupOf({ spec }: Pod): number | undefined {
  const group = spec.securityContext?.fsGroup;
  return group === undefined ? undefined : Number(group);
}
