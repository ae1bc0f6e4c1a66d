/** What pods may have of the machine. */
import { bool, duration, float, int, object, optional, text, textMap, texts } from '../field.ts';

export interface MemoryReservation {
  readonly numaNode: number;
  readonly limits: Readonly<Record<string, string>>;
}

/** When pods are evicted, unless the document has thresholds of its own. */
export const defaultEvictionHard: Readonly<Record<string, string>> = {
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
};

export const resources = {
  systemReserved: textMap(
    {},
    { flag: 'system-reserved', help: 'What is kept back for the system: cpu=200m,memory=500Mi.' },
  ),
  kubeReserved: textMap({}, { flag: 'kube-reserved', help: 'What is kept back for the agent and the runtime.' }),
  reservedSystemCPUs: text('', {
    flag: 'reserved-cpus',
    help: 'CPUs that are kept back, such as 0-3,7, in place of the amounts of the other reservations.',
  }),
  systemReservedCgroup: text('', { flag: 'system-reserved-cgroup', help: 'Group of --system-reserved.' }),
  kubeReservedCgroup: text('', { flag: 'kube-reserved-cgroup', help: 'Group of --kube-reserved.' }),
  enforceNodeAllocatable: texts(['pods'], {
    flag: 'enforce-node-allocatable',
    help: 'What is held to its limits: pods, system-reserved, kube-reserved, or none.',
  }),
  kubeletCgroups: text('', { flag: 'kubelet-cgroups', help: 'Group that the agent runs in.' }),
  systemCgroups: text('', {
    flag: 'system-cgroups',
    help: 'Group that processes without one are moved to. Needs --cgroup-root.',
  }),
  cgroupRoot: text('', { flag: 'cgroup-root', help: 'Group below which those of pods are.' }),
  cgroupsPerQOS: bool(true, { flag: 'cgroups-per-qos', help: 'Make a group for each class of pods.' }),
  cgroupDriver: text('cgroupfs', {
    oneOf: ['cgroupfs', 'systemd'],
    flag: 'cgroup-driver',
    help: 'cgroupfs or systemd, where the container runtime does not say it.',
  }),
  failCgroupV1: bool(false, {
    keepsZero: true,
    flag: 'fail-cgroupv1',
    help: 'Refuse to start where cgroups are those of v1.',
  }),
  singleProcessOOMKill: optional(
    bool(false, { help: 'A process that is out of memory ends alone, not with its container.' }),
  ),
  cpuCFSQuota: bool(true, { flag: 'cpu-cfs-quota', help: 'Hold containers to their CPU limits.' }),
  cpuCFSQuotaPeriod: duration('100ms', {
    keepsZero: true,
    range: [1, 1000],
    flag: 'cpu-cfs-quota-period',
    gate: 'CustomCPUCFSQuotaPeriod',
    help: 'Period of CPU limits.',
  }),
  cpuManagerPolicy: text('none', {
    oneOf: ['none', 'static'],
    flag: 'cpu-manager-policy',
    help: 'none, or static for CPUs of its own.',
  }),
  cpuManagerPolicyOptions: textMap(
    {},
    {
      flag: 'cpu-manager-policy-options',
      help: 'Options of the CPU manager policy: key=value.',
    },
  ),
  cpuManagerReconcilePeriod: duration('10s', {
    flag: 'cpu-manager-reconcile-period',
    help: 'How often the CPUs of containers are set again.',
  }),
  memoryManagerPolicy: text('None', {
    oneOf: ['None', 'Static'],
    flag: 'memory-manager-policy',
    help: 'None or Static.',
  }),
  reservedMemory: object<readonly MemoryReservation[]>([{ numaNode: 'integer', limits: { '*': 'string' } }], [], {
    flag: 'reserved-memory',
    help: 'Memory that is kept back on each NUMA node: 0:memory=1Gi;1:memory=2Gi.',
  }),
  topologyManagerPolicy: text('none', {
    oneOf: ['none', 'best-effort', 'restricted', 'single-numa-node'],
    flag: 'topology-manager-policy',
    help: 'none, best-effort, restricted or single-numa-node.',
  }),
  topologyManagerScope: text('container', {
    oneOf: ['container', 'pod'],
    flag: 'topology-manager-scope',
    help: 'container or pod.',
  }),
  topologyManagerPolicyOptions: textMap(
    {},
    {
      flag: 'topology-manager-policy-options',
      help: 'Options of the topology manager policy: key=value.',
    },
  ),
  qosReserved: textMap(
    {},
    {
      flag: 'qos-reserved',
      gate: 'QOSReserved',
      help: 'Share of requests that is kept back for the pods that made them: memory=50%.',
    },
  ),
  failSwapOn: bool(true, { flag: 'fail-swap-on', help: 'Refuse to start where the machine swaps.' }),
  memorySwap: {
    swapBehavior: text('', {
      oneOf: ['', 'NoSwap', 'LimitedSwap'],
      gate: 'NodeSwap',
      help: 'How pods may swap: NoSwap or LimitedSwap.',
    }),
  },
  memoryThrottlingFactor: float(0.9, {
    keepsZero: true,
    range: [0, 1],
    gate: 'MemoryQoS',
    help: 'Share of the memory limit from which the kernel slows a container down.',
  }),
  localStorageCapacityIsolation: bool(true, {
    flag: 'local-storage-capacity-isolation',
    help: 'Count what pods use of the disk.',
  }),
  evictionHard: textMap(defaultEvictionHard, {
    flag: 'eviction-hard',
    help: 'Thresholds that pods are evicted at: memory.available<100Mi. That much is kept back from pods.',
  }),
  evictionSoft: textMap(
    {},
    {
      flag: 'eviction-soft',
      help: 'Thresholds that pods are evicted at after a time, with their grace.',
    },
  ),
  evictionSoftGracePeriod: textMap(
    {},
    {
      flag: 'eviction-soft-grace-period',
      help: 'After which time: memory.available=1m30s.',
    },
  ),
  evictionPressureTransitionPeriod: duration('5m', {
    flag: 'eviction-pressure-transition-period',
    help: 'How long a condition of pressure stays after its end.',
  }),
  evictionMaxPodGracePeriod: int(0, {
    flag: 'eviction-max-pod-grace-period',
    help: 'The longest grace, in seconds, of a pod that is evicted by a soft threshold. Negative: that of the pod.',
  }),
  evictionMinimumReclaim: textMap(
    {},
    {
      flag: 'eviction-minimum-reclaim',
      help: 'How much more than needed is freed: nodefs.available=500Mi.',
    },
  ),
  kernelMemcgNotification: bool(false, {
    flag: 'kernel-memcg-notification',
    help: 'Let the kernel say when memory is short.',
  }),
  oomScoreAdj: int(-999, {
    keepsZero: true,
    range: [-1000, 1000],
    flag: 'oom-score-adj',
    help: 'oom_score_adj of this process, -1000 to 1000.',
  }),
  maxOpenFiles: int(1_000_000, {
    range: [0, Infinity],
    flag: 'max-open-files',
    help: 'How many files this process may open.',
  }),
  protectKernelDefaults: bool(false, {
    flag: 'protect-kernel-defaults',
    help: 'Refuse to start where sysctls are not as the agent needs them.',
  }),
};
