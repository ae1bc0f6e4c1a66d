import { describe, expect, test } from 'vitest';
import {
  type ControllerManagerOptions,
  defaultControllerManagerOptions,
} from '../../../controllers/manager/options.ts';
import { FlagError, parseFlags } from '../parse.ts';
import { completeControllerManager } from './options.ts';
import { controllerManagerFlags } from './table.ts';

function complete(argv: readonly string[], program = 'controller-manager') {
  const { options, given } = parseFlags(controllerManagerFlags, argv);
  return completeControllerManager(options, given, program);
}

function problems(argv: readonly string[]): readonly string[] {
  try {
    complete(argv);
    return [];
  } catch (error) {
    if (error instanceof FlagError) return error.problems;
    throw error;
  }
}

type Part = { readonly [K in keyof ControllerManagerOptions]?: Partial<ControllerManagerOptions[K]> };

/** One row per flag whose effect is in a controller: what the controller is given. */
const effects: readonly { readonly argv: readonly string[]; readonly given: Part }[] = [
  { argv: ['--controllers=*,-job', '--controllers=ttl'], given: { generic: { controllers: ['*', '-job', 'ttl'] } } },
  { argv: ['--feature-gates=HPAScaleToZero=true'], given: { generic: { featureGates: { HPAScaleToZero: true } } } },
  { argv: ['--controller-start-interval=2s'], given: { generic: { startIntervalMs: 2000 } } },
  { argv: ['--min-resync-period=8h'], given: { generic: { minResyncPeriodMs: 28_800_000 } } },
  { argv: ['--use-service-account-credentials'], given: { generic: { useServiceAccountCredentials: true } } },
  { argv: ['--cluster-name=k8s'], given: { generic: { clusterName: 'k8s' } } },
  { argv: ['--root-ca-file=/ca'], given: { generic: { rootCaFile: '/ca' } } },
  { argv: ['--attach-detach-reconcile-sync-period=30s'], given: { attachDetach: { reconcileSyncPeriodMs: 30_000 } } },
  { argv: ['--disable-attach-detach-reconcile-sync'], given: { attachDetach: { reconcileSyncPeriodMs: 0 } } },
  { argv: ['--disable-force-detach-on-timeout'], given: { attachDetach: { disableForceDetachOnTimeout: true } } },
  { argv: ['--concurrent-cron-job-syncs=9'], given: { cronJob: { concurrentSyncs: 9 } } },
  { argv: ['--concurrent-daemonset-syncs=9'], given: { daemonSet: { concurrentSyncs: 9 } } },
  { argv: ['--concurrent-deployment-syncs=9'], given: { deployment: { concurrentSyncs: 9 } } },
  { argv: ['--concurrent-endpoint-syncs=9'], given: { endpoints: { concurrentSyncs: 9 } } },
  { argv: ['--endpoint-updates-batch-period=1s'], given: { endpoints: { updatesBatchPeriodMs: 1000 } } },
  { argv: ['--concurrent-service-endpoint-syncs=9'], given: { endpointSlice: { concurrentSyncs: 9 } } },
  { argv: ['--endpointslice-updates-batch-period=1s'], given: { endpointSlice: { updatesBatchPeriodMs: 1000 } } },
  { argv: ['--max-endpoints-per-slice=200'], given: { endpointSlice: { maxEndpointsPerSlice: 200 } } },
  {
    argv: ['--mirroring-concurrent-service-endpoint-syncs=9'],
    given: { endpointSliceMirroring: { concurrentSyncs: 9 } },
  },
  {
    argv: ['--mirroring-endpointslice-updates-batch-period=1s'],
    given: { endpointSliceMirroring: { updatesBatchPeriodMs: 1000 } },
  },
  {
    argv: ['--mirroring-max-endpoints-per-subset=10'],
    given: { endpointSliceMirroring: { maxEndpointsPerSubset: 10 } },
  },
  { argv: ['--concurrent-ephemeralvolume-syncs=9'], given: { ephemeralVolume: { concurrentSyncs: 9 } } },
  { argv: ['--concurrent-gc-syncs=9'], given: { garbageCollector: { concurrentSyncs: 9 } } },
  { argv: ['--enable-garbage-collector=false'], given: { garbageCollector: { isEnabled: false } } },
  {
    argv: ['--concurrent-horizontal-pod-autoscaler-syncs=9'],
    given: { horizontalPodAutoscaler: { concurrentSyncs: 9 } },
  },
  {
    argv: ['--horizontal-pod-autoscaler-sync-period=45s'],
    given: { horizontalPodAutoscaler: { syncPeriodMs: 45_000 } },
  },
  {
    argv: ['--horizontal-pod-autoscaler-downscale-stabilization=3m'],
    given: { horizontalPodAutoscaler: { downscaleStabilizationMs: 180_000 } },
  },
  {
    argv: ['--horizontal-pod-autoscaler-cpu-initialization-period=90s'],
    given: { horizontalPodAutoscaler: { cpuInitializationPeriodMs: 90_000 } },
  },
  {
    argv: ['--horizontal-pod-autoscaler-initial-readiness-delay=50s'],
    given: { horizontalPodAutoscaler: { initialReadinessDelayMs: 50_000 } },
  },
  { argv: ['--horizontal-pod-autoscaler-tolerance=0.2'], given: { horizontalPodAutoscaler: { tolerance: 0.2 } } },
  { argv: ['--concurrent-job-syncs=9'], given: { job: { concurrentSyncs: 9 } } },
  {
    argv: ['--legacy-service-account-token-clean-up-period=1h'],
    given: { legacyServiceAccountTokenCleaner: { cleanUpPeriodMs: 3_600_000 } },
  },
  { argv: ['--concurrent-namespace-syncs=20'], given: { namespace: { concurrentSyncs: 20 } } },
  { argv: ['--namespace-sync-period=10m'], given: { namespace: { syncPeriodMs: 600_000 } } },
  {
    argv: [
      '--allocate-node-cidrs',
      '--cluster-cidr=10.1.0.0/16,fd00::/48',
      '--service-cluster-ip-range=10.2.0.0/16,fd01::/108',
      '--node-cidr-mask-size-ipv4=25',
    ],
    given: {
      nodeIpam: {
        allocateNodeCidrs: true,
        allocatorType: 'RangeAllocator',
        clusterCidrs: ['10.1.0.0/16', 'fd00::/48'],
        serviceCidrs: ['10.2.0.0/16', 'fd01::/108'],
        nodeMaskSizeIpv4: 25,
        nodeMaskSizeIpv6: 64,
      },
    },
  },
  { argv: ['--node-cidr-mask-size=26'], given: { nodeIpam: { nodeMaskSizeIpv4: 26, nodeMaskSizeIpv6: 26 } } },
  { argv: ['--node-cidr-mask-size-ipv6=80'], given: { nodeIpam: { nodeMaskSizeIpv6: 80 } } },
  { argv: ['--node-monitor-period=10s'], given: { nodeLifecycle: { monitorPeriodMs: 10_000 } } },
  { argv: ['--node-monitor-grace-period=30s'], given: { nodeLifecycle: { monitorGracePeriodMs: 30_000 } } },
  { argv: ['--node-startup-grace-period=30s'], given: { nodeLifecycle: { startupGracePeriodMs: 30_000 } } },
  { argv: ['--node-eviction-rate=0.2'], given: { nodeLifecycle: { evictionRate: 0.2 } } },
  { argv: ['--secondary-node-eviction-rate=0.05'], given: { nodeLifecycle: { secondaryEvictionRate: 0.05 } } },
  { argv: ['--large-cluster-size-threshold=100'], given: { nodeLifecycle: { largeClusterSizeThreshold: 100 } } },
  { argv: ['--unhealthy-zone-threshold=0.6'], given: { nodeLifecycle: { unhealthyZoneThreshold: 0.6 } } },
  { argv: ['--pvclaimbinder-sync-period=30s'], given: { persistentVolumeBinder: { syncPeriodMs: 30_000 } } },
  {
    argv: ['--enable-dynamic-provisioning=false'],
    given: { persistentVolumeBinder: { enableDynamicProvisioning: false } },
  },
  { argv: ['--enable-hostpath-provisioner'], given: { persistentVolumeBinder: { enableHostPathProvisioner: true } } },
  { argv: ['--flex-volume-plugin-dir=/f'], given: { persistentVolumeBinder: { flexVolumePluginDir: '/f' } } },
  {
    argv: [
      '--pv-recycler-pod-template-filepath-nfs=/n',
      '--pv-recycler-minimum-timeout-nfs=1',
      '--pv-recycler-increment-timeout-nfs=2',
      '--pv-recycler-pod-template-filepath-hostpath=/h',
      '--pv-recycler-minimum-timeout-hostpath=3',
      '--pv-recycler-timeout-increment-hostpath=4',
    ],
    given: {
      persistentVolumeBinder: {
        recyclers: {
          nfs: { podTemplateFile: '/n', minimumTimeoutSeconds: 1, timeoutIncrementSeconds: 2 },
          hostPath: { podTemplateFile: '/h', minimumTimeoutSeconds: 3, timeoutIncrementSeconds: 4 },
        },
      },
    },
  },
  { argv: ['--terminated-pod-gc-threshold=-1'], given: { podGarbageCollector: { terminatedPodThreshold: -1 } } },
  { argv: ['--concurrent-replicaset-syncs=9'], given: { replicaSet: { concurrentSyncs: 9 } } },
  { argv: ['--concurrent_rc_syncs=9'], given: { replicationController: { concurrentSyncs: 9 } } },
  { argv: ['--concurrent-resource-quota-syncs=9'], given: { resourceQuota: { concurrentSyncs: 9 } } },
  { argv: ['--resource-quota-sync-period=10m'], given: { resourceQuota: { syncPeriodMs: 600_000 } } },
  { argv: ['--configure-cloud-routes=false'], given: { route: { configureCloudRoutes: false } } },
  { argv: ['--route-reconciliation-period=30s'], given: { route: { reconciliationPeriodMs: 30_000 } } },
  { argv: ['--concurrent-service-syncs=2'], given: { service: { concurrentSyncs: 2 } } },
  { argv: ['--concurrent-serviceaccount-token-syncs=9'], given: { serviceAccountToken: { concurrentSyncs: 9 } } },
  { argv: ['--service-account-private-key-file=/k'], given: { serviceAccountToken: { privateKeyFile: '/k' } } },
  { argv: ['--cluster-signing-duration=10h'], given: { signing: { durationMs: 36_000_000 } } },
  {
    argv: ['--cluster-signing-cert-file=/c', '--cluster-signing-key-file=/k'],
    given: {
      signing: {
        signers: Object.fromEntries(
          ['kubeApiserverClient', 'kubeletClient', 'kubeletServing', 'legacyUnknown'].map((signer) => [
            signer,
            { certFile: '/c', keyFile: '/k' },
          ]),
        ) as unknown as ControllerManagerOptions['signing']['signers'],
      },
    },
  },
  ...(
    [
      ['kube-apiserver-client', 'kubeApiserverClient'],
      ['kubelet-client', 'kubeletClient'],
      ['nodeagent-client', 'kubeletClient'],
      ['kubelet-serving', 'kubeletServing'],
      ['nodeagent-serving', 'kubeletServing'],
      ['legacy-unknown', 'legacyUnknown'],
    ] as const
  ).map(([name, signer]) => ({
    argv: [`--cluster-signing-${name}-cert-file=/c`, `--cluster-signing-${name}-key-file=/k`],
    given: {
      signing: {
        signers: {
          ...defaultControllerManagerOptions.signing.signers,
          [signer]: { certFile: '/c', keyFile: '/k' },
        },
      },
    },
  })),
  { argv: ['--concurrent-statefulset-syncs=9'], given: { statefulSet: { concurrentSyncs: 9 } } },
  { argv: ['--concurrent-ttl-after-finished-syncs=9'], given: { ttlAfterFinished: { concurrentSyncs: 9 } } },
  {
    argv: ['--concurrent-validating-admission-policy-status-syncs=9'],
    given: { validatingAdmissionPolicyStatus: { concurrentSyncs: 9 } },
  },
];

describe('the flags of the controller manager', () => {
  test('without any are the defaults of the controllers', () => {
    expect(complete([]).controllers).toEqual(defaultControllerManagerOptions);
  });

  test.each(effects)('$argv changes just what it is about', ({ argv, given }) => {
    const expected = Object.fromEntries(
      Object.entries(defaultControllerManagerOptions).map(([controller, options]) => [
        controller,
        { ...options, ...given[controller as keyof Part] },
      ]),
    );
    expect(complete(argv).controllers).toEqual(expected);
  });

  test('every supported flag of a controller has a row here', () => {
    const kernel = [
      'serving',
      'authentication',
      'authorization',
      'leaderElection',
      'leaderMigration',
      'debugging',
      'logs',
      'metrics',
      'program',
    ];
    const tested = new Set(
      effects.flatMap(({ argv }) => argv.map((argument) => argument.slice(2).split('=')[0]!.replaceAll('_', '-'))),
    );
    const client = ['kubeconfig', 'master', 'kube-api-qps', 'kube-api-burst', 'kube-api-content-type'];
    const missing = Object.entries(controllerManagerFlags)
      .filter(([section]) => !kernel.includes(section))
      .flatMap(([, { flags }]) => Object.values(flags))
      .filter(({ name, support }) => support === 'supported' && !tested.has(name) && !client.includes(name))
      .map(({ name }) => name);
    // The range allocator is the only one there is.
    expect(missing).toEqual(['cidr-allocator-type']);
  });
});

describe('--controllers', () => {
  test.each([
    { value: 'foo', refused: ['"foo" is not in the list of known controllers'] },
    {
      value: '*,-foo,bar',
      refused: ['"foo" is not in the list of known controllers', '"bar" is not in the list of known controllers'],
    },
    { value: 'deployment,-job,-cronjob-controller,podgc,token-cleaner-controller', refused: [] },
    { value: '*', refused: [] },
  ])('$value: $refused', ({ value, refused }) => {
    expect(problems([`--controllers=${value}`])).toEqual(refused);
  });
});

describe('values that are refused', () => {
  test.each([
    {
      argv: ['--attach-detach-reconcile-sync-period=500ms'],
      problem:
        'duration time must be greater than one second as set via command line option reconcile-sync-loop-period',
    },
    ...['cron-job', 'job', 'statefulset', 'ephemeralvolume', 'horizontal-pod-autoscaler', 'deployment', 'gc'].map(
      (name) => ({
        argv: [`--concurrent-${name}-syncs=0`],
        problem: `concurrent-${name}-syncs must be greater than 0, but got 0`,
      }),
    ),
    {
      argv: ['--concurrent-service-endpoint-syncs=0'],
      problem: 'concurrent-service-endpoint-syncs must not be less than 1, but got 0',
    },
    {
      argv: ['--concurrent-service-endpoint-syncs=51'],
      problem: 'concurrent-service-endpoint-syncs must not be more than 50, but got 51',
    },
    { argv: ['--max-endpoints-per-slice=0'], problem: 'max-endpoints-per-slice must not be less than 1, but got 0' },
    {
      argv: ['--max-endpoints-per-slice=1001'],
      problem: 'max-endpoints-per-slice must not be more than 1000, but got 1001',
    },
    {
      argv: ['--mirroring-concurrent-service-endpoint-syncs=51'],
      problem: 'mirroring-concurrent-service-endpoint-syncs must not be more than 50, but got 51',
    },
    {
      argv: ['--mirroring-max-endpoints-per-subset=1001'],
      problem: 'mirroring-max-endpoints-per-subset must not be more than 1000, but got 1001',
    },
    {
      argv: ['--cluster-signing-kubelet-serving-key-file=/k'],
      problem: '"cluster-signing-kubelet-serving": cannot specify key without cert',
    },
    {
      argv: ['--cluster-signing-kubelet-client-cert-file=/c'],
      problem: '"cluster-signing-kube-apiserver-client": cannot specify cert without key',
    },
    {
      argv: ['--cluster-signing-kube-apiserver-client-cert-file=/c'],
      problem: '"cluster-signing-kube-apiserver": cannot specify cert without key',
    },
    {
      argv: ['--cluster-signing-legacy-unknown-cert-file=/c'],
      problem: '"cluster-signing-legacy-unknown": cannot specify cert without key',
    },
    {
      argv: [
        '--cluster-signing-cert-file=/c',
        '--cluster-signing-key-file=/k',
        '--cluster-signing-legacy-unknown-cert-file=/c',
        '--cluster-signing-legacy-unknown-key-file=/k',
      ],
      problem:
        'cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time',
    },
    {
      argv: ['--service-cluster-ip-range=10.0.0.0/16,244.0.0.0/16,3000::/108'],
      problem: '--service-cluster-ip-range can not contain more than two entries',
    },
    { argv: ['--enable-leader-migration'], problem: '--leader-migration-config is required' },
    {
      argv: ['--horizontal-pod-autoscaler-sync-period=0'],
      problem: '--horizontal-pod-autoscaler-sync-period must be greater than zero',
    },
    { argv: ['--node-eviction-rate=-1'], problem: '--node-eviction-rate can not be negative value' },
    {
      argv: ['--leader-elect-resource-lock=endpoints'],
      problem:
        '--leader-elect-resource-lock "endpoints" invalid, allowed values: leases, endpointsleases, configmapsleases',
    },
    { argv: ['--kube-api-burst=-1'], problem: '--kube-api-burst must be non-negative' },
    {
      argv: ['--secure-port=-1'],
      problem: '--secure-port -1 must be between 0 and 65535, inclusive. 0 for turning off secure port',
    },
  ])('$argv', ({ argv, problem }) => {
    expect(problems(argv)).toEqual([problem]);
  });

  test('a number beyond 32 bits cannot be read', () => {
    expect(() => complete(['--concurrent-job-syncs=3000000000'])).toThrow(
      'invalid argument "3000000000" for "--concurrent-job-syncs" flag: strconv.ParseInt: parsing "3000000000": ' +
        'value out of range',
    );
  });
});

describe('CIDRs of nodes', () => {
  const cluster = (cidr: string, ...more: string[]): string[] => [
    '--allocate-node-cidrs',
    `--cluster-cidr=${cidr}`,
    ...more,
  ];
  test.each([
    { argv: ['--cluster-cidr=x', '--node-cidr-mask-size=1', '--node-cidr-mask-size-ipv4=2'], problem: undefined },
    { argv: ['--allocate-node-cidrs'], problem: '--cluster-cidr is required with --allocate-node-cidrs' },
    { argv: cluster('10.0.0.0/33'), problem: '--cluster-cidr: invalid CIDR address: 10.0.0.0/33' },
    {
      argv: cluster('10.0.0.0/16,10.1.0.0/16'),
      problem: 'len of ClusterCIDRs==2 and they are not configured as dual stack (at least one from each IPFamily)',
    },
    {
      argv: cluster('10.0.0.0/16,fd00::/48,10.1.0.0/16'),
      problem: 'length of clusterCIDRs is:3 more than max allowed of 2',
    },
    {
      argv: cluster('10.0.0.0/16', '--cidr-allocator-type=CloudAllocator'),
      problem: "--cidr-allocator-type is set to 'CloudAllocator' but cloud provider is not configured",
    },
    {
      argv: cluster('10.0.0.0/16', '--cidr-allocator-type=Other'),
      problem: 'invalid CIDR allocator type: Other',
    },
    {
      argv: cluster('10.0.0.0/16,fd00::/48', '--node-cidr-mask-size=24'),
      problem: 'usage of --node-cidr-mask-size is not allowed with dual-stack clusters',
    },
    {
      argv: cluster('10.0.0.0/16', '--node-cidr-mask-size=24', '--node-cidr-mask-size-ipv4=24'),
      problem:
        'usage of --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 is not allowed if --node-cidr-mask-size ' +
        'is set. For dual-stack clusters please unset it and use IPFamily specific flags',
    },
    {
      argv: cluster('10.0.0.0/16', '--node-cidr-mask-size-ipv6=64'),
      problem: 'usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 cluster',
    },
    {
      argv: cluster('fd00::/48', '--node-cidr-mask-size-ipv4=24'),
      problem: 'usage of --node-cidr-mask-size-ipv4 is not allowed for a single-stack IPv6 cluster',
    },
    {
      argv: cluster('10.0.0.0/16', '--node-cidr-mask-size=12'),
      problem: 'the node CIDR mask size 12 must be between the prefix length of "10.0.0.0/16" and 32',
    },
    {
      argv: cluster('fd00::/32'),
      problem: 'New CIDR set failed; the node CIDR size is too big: "fd00::/32" with node CIDR mask size 64',
    },
    {
      argv: cluster('10.0.0.0/16', '--service-cluster-ip-range=10.1.0.0/16,10.2.0.0/16'),
      problem: 'serviceCIDR and secondaryServiceCIDR are not dualstack (from different IPfamiles)',
    },
    { argv: cluster('10.0.0.0/16', '--node-cidr-mask-size-ipv4=25'), problem: undefined },
    { argv: cluster('fd00::/48'), problem: undefined },
  ])('$argv: $problem', ({ argv, problem }) => {
    expect(problems(argv)).toEqual(problem === undefined ? [] : [problem]);
  });
});

describe('the lock of the leader election', () => {
  const own = 'orch-system/controller-manager';
  const original = 'kube-system/kube-controller-manager';
  test.each([
    { name: 'our own by default', argv: [], program: 'controller-manager', lock: own },
    { name: "the original's in its place", argv: [], program: 'kube-controller-manager', lock: original },
    {
      name: "the original's with flags that only it has",
      argv: ['--cluster-signing-kubelet-client-cert-file=/c', '--cluster-signing-kubelet-client-key-file=/k'],
      program: 'controller-manager',
      lock: original,
    },
    {
      name: "the original's where its namespace is named",
      argv: ['--leader-elect-resource-namespace=kube-system'],
      program: 'controller-manager',
      lock: original,
    },
    {
      name: "the original's where its name is named",
      argv: ['--leader-elect-resource-name=kube-controller-manager'],
      program: 'controller-manager',
      lock: original,
    },
    {
      name: 'another name in our namespace',
      argv: ['--leader-elect-resource-name=other'],
      program: 'controller-manager',
      lock: 'orch-system/other',
    },
    {
      name: 'what is named in full, whatever the program',
      argv: ['--leader-elect-resource-name=a', '--leader-elect-resource-namespace=b'],
      program: 'kube-controller-manager',
      lock: 'b/a',
    },
  ])('is $name', ({ argv, program, lock }) => {
    const { resourceNamespace, resourceName } = complete(argv, program).daemon.leaderElection;
    expect(`${resourceNamespace}/${resourceName}`).toBe(lock);
  });
});
