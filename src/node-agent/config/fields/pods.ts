/** Which pods run, and how. */
import { bool, duration, int, object, optional, path, text, texts } from '../field.ts';

export interface PriorityGracePeriod {
  readonly priority: number;
  readonly shutdownGracePeriodSeconds: number;
}

export const pods = {
  staticPodPath: path('', {
    flag: 'pod-manifest-path',
    help: 'File or folder of pods that run on this node without the API server.',
  }),
  staticPodURL: text('', { flag: 'manifest-url', help: 'URL of pods that run on this node.' }),
  staticPodURLHeader: object<Readonly<Record<string, readonly string[]>>>(
    { '*': ['string'] },
    {},
    {
      flag: 'manifest-url-header',
      help: 'Headers of requests for --manifest-url: name:value, comma separated and repeatable.',
    },
  ),
  fileCheckFrequency: duration('20s', {
    flag: 'file-check-frequency',
    help: 'How often the static pod path is read.',
  }),
  httpCheckFrequency: duration('20s', {
    flag: 'http-check-frequency',
    help: 'How often the static pod URL is read.',
  }),
  syncFrequency: duration('1m', {
    flag: 'sync-frequency',
    help: 'How often a pod is looked at without a reason.',
  }),
  podLogsDir: path('/var/log/pods', { help: 'Folder of the logs of containers.' }),
  containerRuntimeEndpoint: text('unix:///run/containerd/containerd.sock', {
    flag: 'container-runtime-endpoint',
    help: 'Socket of the container runtime (CRI v1).',
  }),
  imageServiceEndpoint: text('', {
    flag: 'image-service-endpoint',
    help: 'Socket of the image service, where that is not the one of the container runtime.',
  }),
  runtimeRequestTimeout: duration('2m', {
    range: [1, Infinity],
    flag: 'runtime-request-timeout',
    help: 'How long a call of the container runtime may take, but for those that last.',
  }),
  resolvConf: path('/etc/resolv.conf', {
    keepsZero: true,
    flag: 'resolv-conf',
    help: 'File with the DNS servers of pods that do not use those of the cluster. Empty means none.',
  }),
  podPidsLimit: int(-1, {
    keepsZero: true,
    flag: 'pod-max-pids',
    help: 'How many processes a pod may have. -1: as the node.',
  }),
  seccompDefault: bool(false, {
    keepsZero: true,
    flag: 'seccomp-default',
    help: 'Containers that name no seccomp profile have that of the runtime.',
  }),
  allowedUnsafeSysctls: texts([], {
    flag: 'allowed-unsafe-sysctls',
    help: 'Sysctls, or prefixes that end with *, that pods may set beside the safe ones.',
  }),
  configMapAndSecretChangeDetectionStrategy: text('Watch', {
    oneOf: ['Get', 'Cache', 'Watch'],
    help: 'How changed config maps and secrets are noticed: Get, Cache or Watch.',
  }),
  volumePluginDir: path('/usr/libexec/kubernetes/kubelet-plugins/volume/exec/', {
    flag: 'volume-plugin-dir',
    help: 'Folder of FlexVolume drivers, each in a folder VENDOR~DRIVER.',
  }),
  volumeStatsAggPeriod: duration('1m', {
    flag: 'volume-stats-agg-period',
    help: 'How often the use of volumes is measured. Less than 0: never.',
  }),
  hairpinMode: text('promiscuous-bridge', {
    oneOf: ['promiscuous-bridge', 'hairpin-veth', 'none'],
    support: 'ignored',
    flag: 'hairpin-mode',
    help: 'How a bridge lets pods reach themselves. The network of pods is that of the container runtime.',
  }),
  makeIPTablesUtilChains: bool(true, {
    flag: 'make-iptables-util-chains',
    help: 'Keep the chain KUBE-IPTABLES-HINT, by which others see which iptables this node uses.',
  }),
  iptablesMasqueradeBit: int(14, {
    keepsZero: true,
    range: [0, 31],
    support: 'ignored',
    flag: 'iptables-masquerade-bit',
    help: 'Has no effect since 1.28.',
  }),
  iptablesDropBit: int(15, {
    keepsZero: true,
    range: [0, 31],
    support: 'ignored',
    flag: 'iptables-drop-bit',
    help: 'Has no effect since 1.28.',
  }),
  containerLogMaxSize: text('10Mi', {
    flag: 'container-log-max-size',
    help: 'Size at which the log of a container is rotated.',
  }),
  containerLogMaxFiles: int(5, {
    keepsZero: true,
    range: [2, Infinity],
    flag: 'container-log-max-files',
    help: 'How many log files a container has at most, at least 2.',
  }),
  containerLogMaxWorkers: int(1, {
    keepsZero: true,
    range: [1, Infinity],
    help: 'How many logs are rotated at once.',
  }),
  containerLogMonitorInterval: duration('10s', {
    keepsZero: true,
    range: [3000, Infinity],
    help: 'How often the sizes of logs are looked at.',
  }),
  crashLoopBackOff: {
    maxContainerRestartPeriod: optional(
      duration('300s', {
        gate: 'KubeletCrashLoopBackOffMax',
        help: 'The longest time that a container which keeps ending waits for its restart.',
      }),
    ),
  },
  shutdownGracePeriod: duration('0s', {
    gate: 'GracefulNodeShutdown',
    help: 'How long the shutdown of the machine waits for pods. 0 means not at all.',
  }),
  shutdownGracePeriodCriticalPods: duration('0s', {
    gate: 'GracefulNodeShutdown',
    help: 'The last part of shutdownGracePeriod, which critical pods have.',
  }),
  shutdownGracePeriodByPodPriority: object<readonly PriorityGracePeriod[]>(
    [{ priority: 'integer', shutdownGracePeriodSeconds: 'integer' }],
    [],
    {
      gate: 'GracefulNodeShutdownBasedOnPodPriority',
      help: 'How long the shutdown of the machine waits for pods of at least a priority.',
    },
  ),
  runOnce: bool(false, {
    flag: 'runonce',
    help: 'End when all pods run, and leave them running. Nothing is served meanwhile.',
  }),
};
