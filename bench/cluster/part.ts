/** What a part of the benchmark is, and what several of them do. */
import type { LocalCluster, Processes } from './local-cluster.ts';
import { createMany, isBound, podSpec, secondsUntilPods } from './workloads.ts';

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The least (for rates) or the most (for everything else) that is promised. */
  readonly goal?: number;
  readonly isRate?: boolean;
  /** Of Kubernetes. */
  readonly reference?: number;
}

export interface PartResult {
  readonly figures: readonly Figure[];
  readonly before: Processes;
  readonly after: Processes;
}

export interface Part {
  readonly about: string;
  readonly nodes: number;
  /** Only run when it is named. */
  readonly isLong?: boolean;
  run(cluster: LocalCluster, signal: AbortSignal): Promise<PartResult>;
}

/** Measures the processes around `work`, which says when it begins: what it prepares is not counted. */
export async function measured(
  cluster: LocalCluster,
  work: (begin: () => number) => Promise<readonly Figure[]>,
): Promise<PartResult> {
  let before = cluster.processes();
  const figures = await work(() => {
    before = cluster.processes();
    return performance.now();
  });
  return { figures, before, after: cluster.processes() };
}

/** Pods that wait for the scheduler while it is stopped. */
export async function podsPerSecond(
  cluster: LocalCluster,
  namespace: string,
  begin: () => number,
  signal: AbortSignal,
): Promise<number> {
  const { client } = cluster;
  const count = 2000;
  await cluster.whileStopped('scheduler', () =>
    createMany(count, (index) =>
      client.core.v1.pods
        .namespace(namespace)
        .create({ metadata: { name: `waiting-${index}` }, spec: podSpec('registry.example/a:1') }),
    ),
  );
  const since = begin();
  const [seconds] = await secondsUntilPods(client, { namespace, count, since, signal }, [isBound]);
  return count / seconds!;
}
