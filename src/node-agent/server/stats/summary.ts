/**
 * The form of `/stats/summary`: stats/v1alpha1.
 * @see {@link https://kubernetes.io/docs/reference/instrumentation/node-metrics/ | Node metrics data}
 */
import type { NetworkStats } from './network.ts';

export interface FsStats {
  readonly time: string;
  readonly availableBytes: number;
  readonly capacityBytes: number;
  readonly usedBytes: number;
  readonly inodesFree: number;
  readonly inodes: number;
  readonly inodesUsed: number;
}

export interface CpuStats {
  readonly time: string;
  readonly usageNanoCores?: number;
  readonly usageCoreNanoSeconds: number;
}

export interface MemoryStats {
  readonly time: string;
  readonly availableBytes?: number;
  readonly usageBytes?: number;
  readonly workingSetBytes: number;
  readonly rssBytes?: number;
  readonly pageFaults?: number;
  readonly majorPageFaults?: number;
}

export interface SwapStats {
  readonly time: string;
  readonly swapAvailableBytes?: number;
  readonly swapUsageBytes: number;
}

export interface VolumeStats extends FsStats {
  /** As the pod calls it. */
  readonly name: string;
  readonly pvcRef?: { readonly name: string; readonly namespace: string };
}

export interface Used {
  readonly cpu?: CpuStats;
  readonly memory?: MemoryStats;
  readonly swap?: SwapStats;
}

export interface ContainerSummary extends Used {
  readonly name: string;
  readonly startTime?: string | undefined;
  readonly rootfs?: FsStats;
  readonly logs?: FsStats;
}

export interface PodSummary extends Used {
  readonly podRef: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly startTime: string;
  readonly containers: readonly ContainerSummary[];
  /** Undefined on the network of the node. */
  readonly network?: NetworkStats;
  readonly volume?: readonly VolumeStats[];
  readonly 'ephemeral-storage'?: FsStats;
  readonly process_stats?: { readonly process_count: number };
}

export interface NodeSummary extends Used {
  readonly nodeName: string;
  readonly startTime: string;
  readonly systemContainers: readonly ContainerSummary[];
  readonly network?: NetworkStats;
  readonly fs?: FsStats;
  readonly runtime?: { readonly imageFs?: FsStats; readonly containerFs?: FsStats };
  readonly rlimit?: { readonly time: string; readonly maxpid: number; readonly curproc: number };
}

export interface Summary {
  readonly node: NodeSummary;
  readonly pods: readonly PodSummary[];
}
