/** What of the agent's configuration concerns pods. Times are in milliseconds. */
import type { EvictionManagerOptions } from '../eviction/eviction-manager.ts';
import type { ImageLimits } from '../images/image-collector.ts';
import type { LogLimits } from '../logs/log-rotator.ts';
import type { CgroupSettings } from './config/pod-resources.ts';
import type { DnsSettings } from './config/dns.ts';
import type { ResourceSettings } from './config/resources.ts';

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
  /** -1: no limit. */
  readonly podPidsLimit: number;
  readonly resources: ResourceSettings;
  readonly seccompDefault: boolean;
  readonly syncFrequencyMs: number;
  readonly staticPods: StaticPodPlaces;
  readonly allowedUnsafeSysctls: readonly string[];
  readonly images: PullLimits & { readonly limits: ImageLimits };
  readonly logs: LogLimits & { readonly checkMs: number };
  readonly eviction: EvictionManagerOptions['settings'];
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

export const podDirectory = (root: string, uid: string): string => `${root}/pods/${uid}`;
