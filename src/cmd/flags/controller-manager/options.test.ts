import { describe, expect, test } from 'vitest';
import {
  type ControllerManagerOptions,
  defaultControllerManagerOptions,
} from '../../../controllers/manager/options.ts';
import { controllerManagerFlags } from './table.ts';
import { complete } from './testing/complete.ts';

const volumes = defaultControllerManagerOptions.persistentVolumeBinder;

type Part = { readonly [K in keyof ControllerManagerOptions]?: Partial<ControllerManagerOptions[K]> };

/** One row per flag whose effect is in a controller: what the controller is given. */
const effects: readonly { readonly argv: readonly string[]; readonly given: Part }[] = [
  { argv: ['--controllers=*,-job', '--controllers=ttl'], given: { generic: { controllers: ['*', '-job', 'ttl'] } } },
  { argv: ['--feature-gates=HPAScaleToZero=true'], given: { generic: { featureGates: { HPAScaleToZero: true } } } },
  { argv: ['--controller-start-interval=2s'], given: { generic: { startIntervalMs: 2000 } } },
  { argv: ['--min-resync-period=8h'], given: { generic: { minResyncPeriodMs: 28_800_000 } } },
  { argv: ['--use-service-account-credentials'], given: { generic: { useServiceAccountCredentials: true } } },
  { argv: ['--root-ca-file=/ca'], given: { generic: { rootCaFile: '/ca' } } },
  {
    argv: ['--attach-detach-reconcile-sync-period=2m'],
    given: { attachDetach: { reconcileSyncPeriodMs: 120_000 } },
  },
  { argv: ['--disable-attach-detach-reconcile-sync'], given: { attachDetach: { disableReconcileSync: true } } },
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
  {
    argv: ['--emulated-version=1.31'],
    given: { generic: { featureGates: expect.objectContaining({ JobManagedBy: false }) as Record<string, boolean> } },
  },
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
  {
    argv: ['--pv-recycler-pod-template-filepath-nfs=/n'],
    given: { persistentVolumeBinder: { recyclerNfs: { ...volumes.recyclerNfs, templateFile: '/n' } } },
  },
  {
    argv: ['--pv-recycler-minimum-timeout-nfs=9'],
    given: { persistentVolumeBinder: { recyclerNfs: { ...volumes.recyclerNfs, minimumSeconds: 9 } } },
  },
  {
    argv: ['--pv-recycler-increment-timeout-nfs=9'],
    given: { persistentVolumeBinder: { recyclerNfs: { ...volumes.recyclerNfs, incrementSeconds: 9 } } },
  },
  {
    argv: ['--pv-recycler-pod-template-filepath-hostpath=/h'],
    given: { persistentVolumeBinder: { recyclerHostPath: { ...volumes.recyclerHostPath, templateFile: '/h' } } },
  },
  {
    argv: ['--pv-recycler-minimum-timeout-hostpath=9'],
    given: { persistentVolumeBinder: { recyclerHostPath: { ...volumes.recyclerHostPath, minimumSeconds: 9 } } },
  },
  {
    argv: ['--pv-recycler-timeout-increment-hostpath=9'],
    given: { persistentVolumeBinder: { recyclerHostPath: { ...volumes.recyclerHostPath, incrementSeconds: 9 } } },
  },
  { argv: ['--terminated-pod-gc-threshold=-1'], given: { podGarbageCollector: { terminatedPodThreshold: -1 } } },
  { argv: ['--concurrent-replicaset-syncs=9'], given: { replicaSet: { concurrentSyncs: 9 } } },
  { argv: ['--concurrent_rc_syncs=9'], given: { replicationController: { concurrentSyncs: 9 } } },
  { argv: ['--concurrent-resource-quota-syncs=9'], given: { resourceQuota: { concurrentSyncs: 9 } } },
  { argv: ['--resource-quota-sync-period=10m'], given: { resourceQuota: { syncPeriodMs: 600_000 } } },
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
  test('Without flags the controller manager has the defaults of the controllers', () => {
    expect(complete([]).controllers).toEqual(defaultControllerManagerOptions);
  });

  test.each(effects)('The flags of the controller manager: $argv changes just what it is about', ({ argv, given }) => {
    const expected = Object.fromEntries(
      Object.entries(defaultControllerManagerOptions).map(([controller, options]) => [
        controller,
        { ...options, ...given[controller as keyof Part] },
      ]),
    );
    expect(complete(argv).controllers).toEqual(expected);
  });

  test('Every supported flag of a controller has a row here', () => {
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
