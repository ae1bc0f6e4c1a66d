import { describe, expect, test } from 'vitest';
import { defaultConfig, type NodeAgentConfig } from '../config/config.ts';
import type { NodeAgentSettings } from '../config/settings.ts';
import { type PodsMachine, podsConfigOf } from './configure-pods.ts';

const machine: PodsMachine = {
  cpus: 4,
  memoryBytes: 2 ** 32,
  hugePages: [],
  maxPids: 1000,
  isCgroupV2: true,
  swapBytes: 2 ** 20,
  cgroupDriver: undefined,
  resolvConf: undefined,
};

const settings: Omit<NodeAgentSettings, 'certDir' | 'kubeconfig' | 'bootstrapKubeconfig'> = {
  config: defaultConfig,
  featureGates: {},
  nodeName: 'n',
  rootDir: '/root',
  nodeIPs: [],
  nodeLabels: {},
  hasExternalCloud: false,
  isSchedulable: true,
  keepsEvictionThresholds: true,
  credentialProviders: [],
  deadContainers: { perContainer: 1, total: -1, minAgeMs: 0 },
  keepsTerminatedVolumes: false,
  sandboxImage: '',
  mounterPath: '',
  runtimeCgroups: '',
  lockFile: undefined,
  exitsOnLockContention: false,
};

interface Row {
  readonly name: string;
  readonly changes: Partial<NodeAgentConfig>;
  readonly gates?: Readonly<Record<string, boolean>>;
  readonly machine?: Partial<PodsMachine>;
  readonly config: object;
}

describe('What the configuration says of pods', () => {
  test.each<Row>([
    // Images
    { name: 'registryPullQPS', changes: { registryPullQPS: 7 }, config: { images: { qps: 7 } } },
    { name: 'registryBurst', changes: { registryBurst: 8 }, config: { images: { burst: 8 } } },
    { name: 'serializeImagePulls', changes: { serializeImagePulls: false }, config: { images: { isSerial: false } } },
    { name: 'maxParallelImagePulls', changes: { maxParallelImagePulls: 3 }, config: { images: { maxParallel: 3 } } },
    { name: 'imageMinimumGCAge', changes: { imageMinimumGCAge: 9 }, config: { images: { limits: { minAgeMs: 9 } } } },
    { name: 'imageMaximumGCAge', changes: { imageMaximumGCAge: 9 }, config: { images: { limits: { maxAgeMs: 9 } } } },
    {
      name: 'imageGCHighThresholdPercent',
      changes: { imageGCHighThresholdPercent: 70 },
      config: { images: { limits: { highPercent: 70 } } },
    },
    {
      name: 'imageGCLowThresholdPercent',
      changes: { imageGCLowThresholdPercent: 60 },
      config: { images: { limits: { lowPercent: 60 } } },
    },
    // Sources
    { name: 'staticPodPath', changes: { staticPodPath: '/p' }, config: { staticPods: { path: '/p' } } },
    { name: 'staticPodURL', changes: { staticPodURL: 'http://u' }, config: { staticPods: { url: 'http://u' } } },
    {
      name: 'staticPodURLHeader',
      changes: { staticPodURLHeader: { a: ['b'] } },
      config: { staticPods: { headers: { a: ['b'] } } },
    },
    { name: 'fileCheckFrequency', changes: { fileCheckFrequency: 5 }, config: { staticPods: { fileCheckMs: 5 } } },
    { name: 'httpCheckFrequency', changes: { httpCheckFrequency: 6 }, config: { staticPods: { urlCheckMs: 6 } } },
    { name: 'syncFrequency', changes: { syncFrequency: 7 }, config: { syncFrequencyMs: 7 } },
    {
      name: 'configMapAndSecretChangeDetectionStrategy',
      changes: { configMapAndSecretChangeDetectionStrategy: 'Cache' },
      config: { changeDetection: 'Cache' },
    },
    // Files
    { name: 'podLogsDir', changes: { podLogsDir: '/logs' }, config: { podLogsDirectory: '/logs' } },
    { name: 'volumePluginDir', changes: { volumePluginDir: '/flex' }, config: { volumePluginDirectory: '/flex' } },
    { name: 'containerLogMaxSize', changes: { containerLogMaxSize: '1Ki' }, config: { logs: { maxBytes: 1024 } } },
    { name: 'containerLogMaxFiles', changes: { containerLogMaxFiles: 9 }, config: { logs: { maxFiles: 9 } } },
    { name: 'containerLogMaxWorkers', changes: { containerLogMaxWorkers: 2 }, config: { logs: { workers: 2 } } },
    {
      name: 'containerLogMonitorInterval',
      changes: { containerLogMonitorInterval: 3000 },
      config: { logs: { checkMs: 3000 } },
    },
    // Names
    { name: 'clusterDNS', changes: { clusterDNS: ['10.0.0.1'] }, config: { dns: { clusterDns: ['10.0.0.1'] } } },
    { name: 'clusterDomain', changes: { clusterDomain: 'c.test' }, config: { dns: { clusterDomain: 'c.test' } } },
    {
      name: 'resolvConf',
      changes: {},
      machine: { resolvConf: 'nameserver 192.0.2.1\n' },
      config: { dns: { resolvConf: { servers: ['192.0.2.1'] } } },
    },
    // Control groups
    { name: 'cgroupRoot', changes: { cgroupRoot: '/g' }, config: { cgroups: { root: '/g' } } },
    { name: 'cgroupDriver', changes: { cgroupDriver: 'systemd' }, config: { cgroups: { driver: 'systemd' } } },
    {
      name: 'cgroupDriver, where the runtime says another one',
      changes: { cgroupDriver: 'systemd' },
      machine: { cgroupDriver: 'cgroupfs' },
      config: { cgroups: { driver: 'cgroupfs' } },
    },
    { name: 'cgroupsPerQOS', changes: { cgroupsPerQOS: false }, config: { cgroupsPerQos: false } },
    { name: 'podPidsLimit', changes: { podPidsLimit: 5 }, config: { podPidsLimit: 5 } },
    { name: 'cpuCFSQuota', changes: { cpuCFSQuota: false }, config: { resources: { cpuCfsQuota: false } } },
    {
      name: 'cpuCFSQuotaPeriod',
      changes: { cpuCFSQuotaPeriod: 5 },
      config: { resources: { cpuCfsQuotaPeriodUs: 5000 } },
    },
    { name: 'cpuManagerReconcilePeriod', changes: { cpuManagerReconcilePeriod: 4 }, config: { cpuReconcileMs: 4 } },
    { name: 'cpuManagerPolicy', changes: { cpuManagerPolicy: 'static' }, config: { hasExclusiveResources: true } },
    {
      name: 'memoryManagerPolicy',
      changes: { memoryManagerPolicy: 'Static' },
      config: { hasExclusiveResources: true },
    },
    {
      name: 'singleProcessOOMKill',
      changes: { singleProcessOOMKill: true },
      config: { resources: { killsSingleProcess: true } },
    },
    {
      name: 'memoryThrottlingFactor',
      changes: { memoryThrottlingFactor: 0.5 },
      gates: { MemoryQoS: true },
      config: { resources: { memoryQos: { throttlingFactor: 0.5 } } },
    },
    {
      name: 'memorySwap.swapBehavior',
      changes: { memorySwap: { swapBehavior: 'LimitedSwap' } },
      gates: { NodeSwap: true },
      config: { resources: { swap: { isLimited: true, capacity: BigInt(2 ** 20) } } },
    },
    // Eviction
    { name: 'evictionHard', changes: { evictionHard: { a: '1' } }, config: { eviction: { hard: { a: '1' } } } },
    { name: 'evictionSoft', changes: { evictionSoft: { a: '1' } }, config: { eviction: { soft: { a: '1' } } } },
    {
      name: 'evictionSoftGracePeriod',
      changes: { evictionSoftGracePeriod: { a: '1m30s' } },
      config: { eviction: { softGraceMs: { a: 90_000 } } },
    },
    {
      name: 'evictionMinimumReclaim',
      changes: { evictionMinimumReclaim: { a: '1' } },
      config: { eviction: { minimumReclaim: { a: '1' } } },
    },
    {
      name: 'evictionPressureTransitionPeriod',
      changes: { evictionPressureTransitionPeriod: 5 },
      config: { eviction: { pressureTransitionMs: 5 } },
    },
    {
      name: 'evictionMaxPodGracePeriod',
      changes: { evictionMaxPodGracePeriod: 5 },
      config: { eviction: { maxPodGraceSeconds: 5 } },
    },
    {
      name: 'localStorageCapacityIsolation',
      changes: { localStorageCapacityIsolation: false },
      config: { eviction: { limitsStorage: false } },
    },
    { name: 'kernelMemcgNotification', changes: { kernelMemcgNotification: true }, config: { watchesMemory: true } },
    // Pods
    { name: 'maxPods', changes: { maxPods: 5 }, config: { maxPods: 5 } },
    { name: 'seccompDefault', changes: { seccompDefault: true }, config: { seccompDefault: true } },
    {
      name: 'allowedUnsafeSysctls',
      changes: { allowedUnsafeSysctls: ['a.*'] },
      config: { allowedUnsafeSysctls: ['a.*'] },
    },
    {
      name: 'crashLoopBackOff.maxContainerRestartPeriod',
      changes: { crashLoopBackOff: { maxContainerRestartPeriod: 5 } },
      config: { maxRestartDelayMs: 5 },
    },
    {
      name: 'the gates of pods',
      changes: {},
      gates: {
        UserNamespacesSupport: true,
        InPlacePodVerticalScaling: true,
        ImageVolume: true,
        ClusterTrustBundleProjection: true,
      },
      config: { gates: { hasUserNamespaces: true, hasResize: true, hasImageVolumes: true, hasTrustBundles: true } },
    },
  ])('The field $name arrives where pods are run', ({ changes, gates = {}, machine: own, config }) => {
    const given = { ...settings, config: { ...defaultConfig, ...changes }, featureGates: gates };
    expect(podsConfigOf(given, { ...machine, ...own })).toMatchObject(config);
    // The row would show nothing if the default did as much.
    if (Object.keys(changes).length > 0 && own === undefined)
      expect(podsConfigOf({ ...settings, featureGates: gates }, machine)).not.toMatchObject(config);
  });

  test('What only flags say of pods arrives too', () => {
    const deadContainers = { perContainer: 2, total: 3, minAgeMs: 4 };
    const flags = { deadContainers, keepsTerminatedVolumes: true, sandboxImage: 'pause:1', mounterPath: '/m' };
    expect(podsConfigOf({ ...settings, ...flags }, machine)).toMatchObject({
      deadContainers,
      keepsVolumes: true,
      sandboxImage: 'pause:1',
      mounterPath: '/m',
    });
  });
});
