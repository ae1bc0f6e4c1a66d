/** What the worker of a pod works with. */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { HookRunner } from '../hooks/hook-runner.ts';
import type { PodObserver } from '../metrics/pod-metrics.ts';
import type { VolumeObserver } from '../metrics/volume-metrics.ts';
import type { ImagePuller } from '../images/image-puller.ts';
import type { Probes } from '../probes/probes.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import type { AuthConfig } from '../runtime/gen/cri.ts';
import type { TracePod } from '../tracing/traces.ts';
import type { Volumes } from '../volumes/volumes.ts';
import type { Decision } from './admission/admit.ts';
import type { ApiObjects } from './api-objects.ts';
import type { PodAllocations } from '../resources/pod-allocations.ts';
import type { PodCgroups } from '../resources/cgroups/pod-cgroups.ts';
import type { PodEvents } from './pod-events.ts';
import type { PodsConfig } from './pods-config.ts';
import type { PodResizes } from './resize/pod-resizes.ts';
import type { RuntimeCache } from './runtime-cache.ts';
import type { StatusWriter } from './status-writer.ts';
import type { UserNamespaces } from './user-namespaces/user-namespaces.ts';

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
  /** What the node knows of the registry of an image, beside the secrets of pods. */
  readonly credentials: (image: string) => Promise<readonly AuthConfig[]>;
  readonly volumes: Volumes;
  readonly objects: ApiObjects;
  readonly probes: Probes;
  readonly hooks: HookRunner;
  readonly cgroups: PodCgroups;
  /** None without its gate: then resources of pods do not change. */
  readonly resizes?: PodResizes | undefined;
  /** None without its gate: then all pods have the users of the node. */
  readonly userNamespaces?: UserNamespaces | undefined;
  readonly allocations: PodAllocations;
  readonly statuses: StatusWriter;
  readonly observer?: PodObserver | undefined;
  /** Undefined where nothing is traced. */
  readonly trace?: TracePod | undefined;
  readonly volumeObserver?: VolumeObserver | undefined;
  /** Whether the node takes a pod. */
  readonly admission: (pod: Pod, others: readonly Pod[]) => Decision;
  /** Addresses of the node. */
  readonly hostIPs: () => readonly string[];
}
