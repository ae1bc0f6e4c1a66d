/** What the scheduler works by, with all defaults filled in (`load.ts` reads it from documents). */
import type { ExtensionPoint } from '../framework/extension-point.ts';
import type { PluginArgs } from './plugin-args.ts';

export interface WeightedName {
  readonly name: string;
  /** Of scores. */
  readonly weight: number;
}

export interface ProfileConfig {
  readonly schedulerName: string;
  readonly percentageOfNodesToScore?: number;
  /** By extension point, in order. */
  readonly plugins: Readonly<Record<ExtensionPoint, readonly WeightedName[]>>;
  readonly args: PluginArgs;
}

/** Feature gates that decide which plugins there are by default. */
export interface SchedulerFeatures {
  /** DynamicResourceAllocation */
  readonly dynamicResources?: boolean;
  /** VolumeCapacityPriority */
  readonly volumeCapacityPriority?: boolean;
}

export interface SchedulerConfig {
  readonly profiles: readonly ProfileConfig[];
  /** 0 for one that falls with the number of nodes. */
  readonly percentageOfNodesToScore: number;
  readonly podInitialBackoffSeconds: number;
  readonly podMaxBackoffSeconds: number;
  readonly extenders: readonly ExtenderConfig[];
}

/** A service over HTTP that takes part in scheduling. */
export interface ExtenderConfig {
  readonly urlPrefix: string;
  /** Appended to the prefix; empty where the extender takes no part. */
  readonly filterVerb: string;
  readonly preemptVerb: string;
  readonly prioritizeVerb: string;
  readonly bindVerb: string;
  /** Of its scores. */
  readonly weight: number;
  readonly timeoutMs: number;
  /** The extender knows the nodes, and gets their names alone. */
  readonly nodeCacheCapable: boolean;
  /** It is asked about pods that ask for one of these, or about all when there are none. */
  readonly managedResources: readonly { readonly name: string; readonly ignoredByScheduler: boolean }[];
  /** Pods are scheduled without it while it does not answer. */
  readonly ignorable: boolean;
  /** Without certificate authorities the certificate of the extender is not verified, as upstream. */
  readonly enableHttps: boolean;
  readonly tls: ExtenderTls;
}

export interface ExtenderTls {
  readonly insecure?: boolean;
  readonly serverName?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly caFile?: string;
  /** Base64, as in the document. */
  readonly certData?: string;
  readonly keyData?: string;
  readonly caData?: string;
}

/** What the document says of the process; the scheduler itself does not read it. */
export interface ProcessConfig {
  /** @NOTE differs from upstream: judged and not used, as nodes are looked at in one thread. */
  readonly parallelism: number;
  readonly leaderElection: {
    readonly leaderElect: boolean;
    readonly leaseDurationMs: number;
    readonly renewDeadlineMs: number;
    readonly retryPeriodMs: number;
    readonly resourceLock: string;
    readonly resourceName: string;
    readonly resourceNamespace: string;
  };
  readonly clientConnection: {
    readonly kubeconfig: string;
    readonly acceptContentTypes: string;
    readonly contentType: string;
    readonly qps: number;
    readonly burst: number;
  };
  readonly enableProfiling: boolean;
  readonly enableContentionProfiling: boolean;
  /** The informers start with the leadership. Otherwise a process that waits for it reads the cluster already. */
  readonly delayCacheUntilActive: boolean;
}
