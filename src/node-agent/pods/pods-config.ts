/** What of the agent's configuration concerns pods. Times are in milliseconds. */
import type { EvictionManagerOptions } from '../eviction/eviction-manager.ts';
import type { CredentialProvider } from '../images/credentials/provider-config.ts';
import type { ImageLimits } from '../images/image-collector.ts';
import type { LogLimits } from '../logs/log-rotator.ts';
import type { CgroupSettings } from '../resources/cgroups/cgroup-path.ts';
import type { NodeLimits } from '../resources/cgroups/node-limits.ts';
import type { DnsSettings } from './config/dns.ts';
import type { ResourceSettings } from './config/resources.ts';
import type { ChangeDetection } from './referred/object-reader.ts';

export interface PodsConfig {
  readonly nodeName: string;
  /** `/var/lib/kubelet` */
  readonly rootDirectory: string;
  /** `/var/log/pods` */
  readonly podLogsDirectory: string;
  /** `/var/log/containers`: links to the logs by the names of containers. */
  readonly containerLogsDirectory: string;
  readonly dns: DnsSettings;
  readonly cgroups: CgroupSettings;
  readonly cgroupsPerQos: boolean;
  /** What pods may use together, and what is kept back from them. */
  readonly nodeLimits: NodeLimits;
  /** -1: no limit. */
  readonly podPidsLimit: number;
  readonly resources: ResourceSettings;
  readonly seccompDefault: boolean;
  readonly gates: PodGates;
  readonly maxPods: number;
  /** Containers of guaranteed pods have CPUs or memory of their own. */
  readonly hasExclusiveResources: boolean;
  readonly syncFrequencyMs: number;
  /** The longest time that a container which keeps ending waits for its restart. */
  readonly maxRestartDelayMs: number;
  /** How changes of config maps and secrets are seen. */
  readonly changeDetection: ChangeDetection;
  readonly staticPods: StaticPodPlaces;
  readonly allowedUnsafeSysctls: readonly string[];
  readonly images: PullLimits & { readonly limits: ImageLimits };
  /** Programs that know the passwords of registries. */
  readonly credentialProviders: readonly CredentialProvider[];
  readonly logs: LogLimits & { readonly checkMs: number };
  /** How often the CPUs of containers are set again. */
  readonly cpuReconcileMs: number;
  /** Memory that runs short is seen within a second. */
  readonly watchesMemory: boolean;
  readonly eviction: EvictionManagerOptions['settings'];
  readonly deadContainers: DeadContainerLimits;
  /** Volumes of a pod that has ended stay until it is gone. */
  readonly keepsVolumes: boolean;
  /** Of sandboxes, beside the one that the runtime says; empty for none. */
  readonly sandboxImage: string;
  /** A program that is called in place of `mount` where a server is mounted; empty for none. */
  readonly mounterPath: string;
  /** Of FlexVolume drivers. */
  readonly volumePluginDirectory: string;
}

/** Of containers that have ended. */
export interface DeadContainerLimits {
  /** Instances of one container; negative: any number. */
  readonly perContainer: number;
  /** Of all containers of the node; negative: any number. */
  readonly total: number;
  /** None goes that was made later than this long ago. */
  readonly minAgeMs: number;
}

/** Of feature gates that concern pods. */
export interface PodGates {
  readonly hasUserNamespaces: boolean;
  readonly hasResize: boolean;
  readonly hasImageVolumes: boolean;
  /** In projected volumes. */
  readonly hasTrustBundles: boolean;
}

/** Empty for none. */
export interface StaticPodPlaces {
  readonly path: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly fileCheckMs: number;
  readonly urlCheckMs: number;
}

export interface PullLimits {
  readonly isSerial: boolean;
  readonly maxParallel: number | undefined;
  /** A second; 0 for no limit. */
  readonly qps: number;
  readonly burst: number;
}

/** Throws for an uid that would lead elsewhere. @param uid empty for the directory of all pods */
export function podDirectory(root: string, uid: string): string {
  if (uid !== '' && !isPodUid(uid)) throw new Error(`${JSON.stringify(uid)} is no uid of a pod`);
  return `${root}/pods/${uid}`;
}

/** It becomes part of paths: what a runtime or a file says must not lead elsewhere. */
export const isPodUid = (uid: string): boolean => /^[a-zA-Z0-9][-a-zA-Z0-9_.]{0,127}$/.test(uid);
