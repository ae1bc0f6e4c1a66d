/**
 * What Kubernetes 1.32.13 needed for a Deployment of 1,000 pods: its controller manager and scheduler on our API
 * server, with 10 hollow kubelets, on 2 cores with all of them on these, and with client limits of 1,000 requests per
 * second. Recorded once, with the goals of the project; the originals are not measured again.
 */
import type { ProcessName } from './local-cluster.ts';

export interface Usage {
  readonly cpuSeconds: number;
  readonly megabytes: number;
}

export const reference = {
  version: '1.32.13',
  boundSeconds: 6.5,
  readySeconds: 26,
  usage: {
    'API server': { cpuSeconds: 8.5, megabytes: 217 },
    'controller manager': { cpuSeconds: 3.5, megabytes: 139 },
    scheduler: { cpuSeconds: 1.3, megabytes: 89 },
  } as Partial<Record<ProcessName, Usage>>,
} as const;

/** What is promised. Shares are of the reference. */
export const goals = {
  readySeconds: 12,
  cpuShare: 0.6,
  memoryShare: 1,
  rolloutSeconds: 30,
  namespaceSeconds: 10,
  cronJobSeconds: 5,
  podsPerSecond: 500,
  /** On 5,000 nodes, with 50,000 pods afterwards. */
  podsPerSecondLarge: 200,
  controllerManagerMegabytes: 600,
  schedulerMegabytes: 400,
  /** For which a lease of a node counts. */
  leaseSeconds: 40,
  /** Percent of one core, over all processes. */
  idlePercent: 4,
} as const;
