/** What the agent counts of its pods at `/metrics`, by upstream's names. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Pod, PodStatus } from '../../api/gen/types/core-v1.ts';
import type { RuntimePod } from '../pods/runtime-pod.ts';
import { isMirrorPod, isStaticPod } from '../pods/static/static-pod.ts';

/** Told by workers and by what lists the runtime. */
export interface PodObserver {
  /** The node has got a pod. */
  seen(pod: Pod): void;
  /** The node does not take a pod. */
  refused(reason: string): void;
  /** A pod was ended for one that is more important. */
  preempted(): void;
  /** A worker has looked at its pod, or ended it. */
  worked(operation: 'sync' | 'kill', seconds: number): void;
  /** The status of a pod is this one now. */
  published(pod: Pod, status: PodStatus): void;
  /** The runtime was listed. @param sinceLastSeconds undefined for the first time */
  listed(seconds: number, sinceLastSeconds: number | undefined): void;
  /** Nothing of a pod is left. */
  forgotten(uid: string): void;
}

export interface PodMetricsOptions {
  readonly registry: Registry;
  readonly nodeName: string;
  readonly isCgroupV2: boolean;
  readonly nowMs: () => number;
  readonly pods: () => readonly Pod[];
  readonly runtimePods: () => readonly RuntimePod[];
}

const secondBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const startBuckets = [
  0.5, 1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 45, 60, 120, 180, 240, 300, 360, 480, 600, 900, 1200, 1800, 2700, 3600,
];
const stateNames: Readonly<Record<string, string>> = {
  CONTAINER_CREATED: 'created',
  CONTAINER_RUNNING: 'running',
  CONTAINER_EXITED: 'exited',
  CONTAINER_UNKNOWN: 'unknown',
};

export function createPodMetrics(options: PodMetricsOptions): PodObserver {
  const { registry, nodeName, isCgroupV2, nowMs } = options;
  const registers = [registry];
  new Gauge({ name: 'kubelet_node_name', help: 'The name of the node.', labelNames: ['node'], registers }).set(
    { node: nodeName },
    1,
  );
  const version = new Gauge({ name: 'kubelet_cgroup_version', help: 'Version of control groups.', registers });
  version.set(isCgroupV2 ? 2 : 1);
  showCounts(options);
  const histogram = (name: string, help: string, buckets: number[]): Histogram =>
    new Histogram({ name, help, buckets, registers });
  const perPod = histogram('kubelet_containers_per_pod_count', 'Containers of pods.', [1, 2, 4, 8, 16]);
  const relist = histogram(
    'kubelet_pleg_relist_duration_seconds',
    'How long lists of the runtime took.',
    secondBuckets,
  );
  const interval = histogram('kubelet_pleg_relist_interval_seconds', 'Time from list to list.', secondBuckets);
  const lastSeen = new Gauge({
    name: 'kubelet_pleg_last_seen_seconds',
    help: 'When the runtime was last listed, in seconds since 1970.',
    registers,
  });
  const worked = new Histogram({
    name: 'kubelet_pod_worker_duration_seconds',
    help: 'How long a look at a pod took.',
    labelNames: ['operation_type'],
    buckets: secondBuckets,
    registers,
  });
  const started = histogram(
    'kubelet_pod_start_duration_seconds',
    'From when the node saw a pod until it ran.',
    startBuckets,
  );
  const total = histogram(
    'kubelet_pod_start_total_duration_seconds',
    'From the creation of a pod until it ran.',
    startBuckets,
  );
  const refused = new Counter({
    name: 'kubelet_admission_rejections_total',
    help: 'Pods that the node did not take.',
    labelNames: ['reason'],
    registers,
  });
  const preempted = new Counter({
    name: 'kubelet_preemptions',
    help: 'Pods that were ended for more important ones.',
    labelNames: ['preemption_signal'],
    registers,
  });
  /** When pods were seen that do not run yet, by uid. */
  const seenAt = new Map<string, number>();
  return {
    seen({ metadata, spec, status }) {
      perPod.observe(spec.containers?.length ?? 0);
      if ((status?.phase ?? 'Pending') === 'Pending') seenAt.set(metadata.uid ?? '', nowMs());
    },
    refused: (reason) => refused.inc({ reason }),
    preempted: () => preempted.inc({ preemption_signal: '' }),
    worked: (operation, seconds) => worked.observe({ operation_type: operation }, seconds),
    published({ metadata }, { phase }) {
      const uid = metadata.uid ?? '';
      const since = seenAt.get(uid);
      if (since === undefined || phase === undefined || phase === 'Pending') return;
      seenAt.delete(uid);
      if (phase !== 'Running') return;
      started.observe((nowMs() - since) / 1000);
      const createdAt = Date.parse(String(metadata.creationTimestamp ?? ''));
      if (!Number.isNaN(createdAt)) total.observe((nowMs() - createdAt) / 1000);
    },
    listed(seconds, sinceLastSeconds) {
      relist.observe(seconds);
      if (sinceLastSeconds !== undefined) interval.observe(sinceLastSeconds);
      lastSeen.set(nowMs() / 1000);
    },
    forgotten: (uid) => void seenAt.delete(uid),
  };
}

/** Counted when they are asked for. */
function showCounts({ registry, pods, runtimePods }: PodMetricsOptions): void {
  const registers = [registry];
  const byStatic = (name: string, help: string, counts: (pod: Pod) => boolean): void => {
    const gauge: Gauge<'static'> = new Gauge({
      name,
      help,
      labelNames: ['static'],
      registers,
      collect() {
        for (const isStatic of [true, false])
          gauge.set(
            { static: isStatic ? 'true' : '' },
            pods().filter((pod) => isStaticPod(pod) === isStatic && counts(pod)).length,
          );
      },
    });
  };
  byStatic('kubelet_desired_pods', 'Pods that the node is to run.', (pod) => !isMirrorPod(pod));
  byStatic('kubelet_active_pods', 'Pods that use resources of the node.', ({ status }) => {
    const { phase } = status ?? {};
    return phase !== 'Succeeded' && phase !== 'Failed';
  });
  const counted = (name: string, help: string, count: () => number): void => {
    const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(count()) });
  };
  counted('kubelet_managed_ephemeral_containers', 'Ephemeral containers.', () =>
    pods().reduce((sum, { spec }) => sum + (spec.ephemeralContainers?.length ?? 0), 0),
  );
  counted(
    'kubelet_running_pods',
    'Pods with a sandbox that is ready.',
    () =>
      runtimePods().filter(({ sandboxes }) =>
        sandboxes.some(({ state = 'SANDBOX_READY' }) => state === 'SANDBOX_READY'),
      ).length,
  );
  const containers: Gauge<'container_state'> = new Gauge({
    name: 'kubelet_running_containers',
    help: 'Containers by their state.',
    labelNames: ['container_state'],
    registers,
    collect() {
      containers.reset();
      for (const pod of runtimePods())
        for (const { status } of pod.containers)
          containers.inc({ container_state: stateNames[status.state ?? 'CONTAINER_CREATED'] ?? 'unknown' });
    },
  });
}
