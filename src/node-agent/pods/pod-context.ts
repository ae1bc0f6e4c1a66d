/** What the worker of a pod works with. */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { HookRunner } from '../hooks/hook-runner.ts';
import type { ImagePuller } from '../images/image-puller.ts';
import type { Probes } from '../probes/probes.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import type { Volumes } from '../volumes/volumes.ts';
import type { Decision } from './admission/admit.ts';
import type { ApiObjects } from './api-objects.ts';
import type { PodCgroups } from '../resources/pod-cgroups.ts';
import type { PodEvents } from './pod-events.ts';
import type { PodsConfig } from './pods-config.ts';
import type { RuntimeCache } from './runtime-cache.ts';
import type { StatusWriter } from './status-writer.ts';

export interface PodContext {
  readonly config: PodsConfig;
  readonly runtime: ContainerRuntime;
  /** The scheme of container ids: `containerd` */
  readonly runtimeName: string;
  readonly cache: RuntimeCache;
  readonly clock: Clock;
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
  readonly events: PodEvents;
  readonly images: ImagePuller;
  readonly volumes: Volumes;
  readonly objects: ApiObjects;
  readonly probes: Probes;
  readonly hooks: HookRunner;
  readonly cgroups: PodCgroups;
  readonly statuses: StatusWriter;
  /** Whether the node takes a pod. */
  readonly admission: (pod: Pod, others: readonly Pod[]) => Decision;
  /** Addresses of the node. */
  readonly hostIPs: () => readonly string[];
}
