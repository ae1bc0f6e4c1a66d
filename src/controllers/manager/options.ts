/**
 * What the controllers are started with: plain data, grouped by controller. `cmd/flags/controller-manager/` has the
 * flags, with the defaults from here.
 *
 * Times are in milliseconds unless a name says otherwise. A period of 0 is off. Files are named by their paths: those
 * that may be replaced while the process runs are watched by the controller that uses them.
 */
import type { GateSettings } from '../../api/feature-gates.ts';

/** How many keys of a controller are worked on at a time. */
export interface Workers {
  readonly concurrentSyncs: number;
}

/** PEM files of a certificate authority. */
export interface SignerFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** The pod that empties volumes of a kind. */
export interface RecyclerOptions {
  /** A Pod as YAML or JSON, whose first volume becomes that to empty; the built-in one when undefined. */
  readonly templateFile: string | undefined;
  /** How long it may take at least. */
  readonly minimumSeconds: number;
  /** How long it may take for each GiB. */
  readonly incrementSeconds: number;
}

/** The CertificateSigningRequest signers, each `kubernetes.io/<name>`. */
export interface SignerOptions {
  readonly kubeApiserverClient: SignerFiles | undefined;
  readonly kubeletClient: SignerFiles | undefined;
  readonly kubeletServing: SignerFiles | undefined;
  readonly legacyUnknown: SignerFiles | undefined;
}

export interface ControllerManagerOptions {
  /** What all controllers share. */
  readonly generic: {
    /** `--controllers`: names and aliases, `*`, `-name`. See `isControllerEnabled`. */
    readonly controllers: readonly string[];
    /** Stages spelled out; a gate that is not in it has its default. */
    readonly featureGates: GateSettings;
    /** Time between the starts of two controllers. */
    readonly startIntervalMs: number;
    /** Informers resync after a random time between this and twice as much. */
    readonly minResyncPeriodMs: number;
    /** Each controller with the account `kube-system/<its account>` instead of that of the process. */
    readonly useServiceAccountCredentials: boolean;
    /** PEM file that goes into each token secret and into the config maps `kube-root-ca.crt`. */
    readonly rootCaFile: string | undefined;
  };
  readonly attachDetach: {
    /** How often what is attached is compared with the VolumeAttachments. */
    readonly reconcileSyncPeriodMs: number;
    readonly disableReconcileSync: boolean;
    /** Volumes stay on a silent node that has them mounted, however long. */
    readonly disableForceDetachOnTimeout: boolean;
  };
  readonly cronJob: Workers;
  readonly daemonSet: Workers;
  readonly deployment: Workers;
  readonly endpoints: Workers & { readonly updatesBatchPeriodMs: number };
  readonly endpointSlice: Workers & {
    readonly maxEndpointsPerSlice: number;
    readonly updatesBatchPeriodMs: number;
  };
  readonly endpointSliceMirroring: Workers & {
    readonly maxEndpointsPerSubset: number;
    readonly updatesBatchPeriodMs: number;
  };
  readonly ephemeralVolume: Workers;
  readonly garbageCollector: Workers & { readonly isEnabled: boolean };
  readonly horizontalPodAutoscaler: Workers & {
    readonly syncPeriodMs: number;
    readonly downscaleStabilizationMs: number;
    readonly cpuInitializationPeriodMs: number;
    readonly initialReadinessDelayMs: number;
    /** Part of the target that a ratio may differ without a change of the scale. */
    readonly tolerance: number;
  };
  readonly job: Workers;
  readonly legacyServiceAccountTokenCleaner: {
    /** How long a token must not have been used before it is invalid, and again as long before it is deleted. */
    readonly cleanUpPeriodMs: number;
  };
  readonly namespace: Workers & { readonly syncPeriodMs: number };
  readonly nodeIpam: {
    readonly allocateNodeCidrs: boolean;
    readonly allocatorType: 'RangeAllocator' | 'CloudAllocator';
    /** One, or one of each family, as given. */
    readonly clusterCidrs: readonly string[];
    /** The primary one, and the one of the other family. */
    readonly serviceCidrs: readonly string[];
    readonly nodeMaskSizeIpv4: number;
    readonly nodeMaskSizeIpv6: number;
  };
  readonly nodeLifecycle: {
    readonly monitorPeriodMs: number;
    readonly monitorGracePeriodMs: number;
    readonly startupGracePeriodMs: number;
    /** Nodes per second. */
    readonly evictionRate: number;
    /** The same in a zone that is unhealthy; 0 is taken where it has no more nodes than the threshold. */
    readonly secondaryEvictionRate: number;
    readonly largeClusterSizeThreshold: number;
    /** Part of the nodes of a zone, 0 to 1. */
    readonly unhealthyZoneThreshold: number;
  };
  readonly persistentVolumeBinder: {
    readonly syncPeriodMs: number;
    readonly enableDynamicProvisioning: boolean;
    readonly enableHostPathProvisioner: boolean;
    readonly recyclerNfs: RecyclerOptions;
    readonly recyclerHostPath: RecyclerOptions;
  };
  readonly podGarbageCollector: {
    /** Terminated pods that are left; 0 or less: as many as there are. */
    readonly terminatedPodThreshold: number;
  };
  readonly replicaSet: Workers;
  readonly replicationController: Workers;
  readonly resourceQuota: Workers & { readonly syncPeriodMs: number };
  readonly serviceAccountToken: Workers & {
    /** PEM file of the key that signs tokens in secrets; without it there is no such controller. */
    readonly privateKeyFile: string | undefined;
  };
  readonly signing: {
    /** Longest life of what is signed. */
    readonly durationMs: number;
    readonly signers: SignerOptions;
  };
  readonly statefulSet: Workers;
  readonly ttlAfterFinished: Workers;
  readonly validatingAdmissionPolicyStatus: Workers;
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const workers = (concurrentSyncs: number): Workers => ({ concurrentSyncs });

/** As upstream, without any file. */
export const defaultControllerManagerOptions: ControllerManagerOptions = {
  generic: {
    controllers: ['*'],
    featureGates: {},
    startIntervalMs: 0,
    minResyncPeriodMs: 12 * hourMs,
    useServiceAccountCredentials: false,
    rootCaFile: undefined,
  },
  attachDetach: { reconcileSyncPeriodMs: minuteMs, disableReconcileSync: false, disableForceDetachOnTimeout: false },
  cronJob: workers(5),
  daemonSet: workers(2),
  deployment: workers(5),
  endpoints: { ...workers(5), updatesBatchPeriodMs: 0 },
  endpointSlice: { ...workers(5), maxEndpointsPerSlice: 100, updatesBatchPeriodMs: 0 },
  endpointSliceMirroring: { ...workers(5), maxEndpointsPerSubset: 1000, updatesBatchPeriodMs: 0 },
  ephemeralVolume: workers(5),
  garbageCollector: { ...workers(20), isEnabled: true },
  horizontalPodAutoscaler: {
    ...workers(5),
    syncPeriodMs: 15 * secondMs,
    downscaleStabilizationMs: 5 * minuteMs,
    cpuInitializationPeriodMs: 5 * minuteMs,
    initialReadinessDelayMs: 30 * secondMs,
    tolerance: 0.1,
  },
  job: workers(5),
  legacyServiceAccountTokenCleaner: { cleanUpPeriodMs: 8760 * hourMs },
  namespace: { ...workers(10), syncPeriodMs: 5 * minuteMs },
  nodeIpam: {
    allocateNodeCidrs: false,
    allocatorType: 'RangeAllocator',
    clusterCidrs: [],
    serviceCidrs: [],
    nodeMaskSizeIpv4: 24,
    nodeMaskSizeIpv6: 64,
  },
  nodeLifecycle: {
    monitorPeriodMs: 5 * secondMs,
    monitorGracePeriodMs: 50 * secondMs,
    startupGracePeriodMs: minuteMs,
    evictionRate: 0.1,
    secondaryEvictionRate: 0.01,
    largeClusterSizeThreshold: 50,
    unhealthyZoneThreshold: 0.55,
  },
  persistentVolumeBinder: {
    syncPeriodMs: 15 * secondMs,
    enableDynamicProvisioning: true,
    enableHostPathProvisioner: false,
    recyclerNfs: { templateFile: undefined, minimumSeconds: 300, incrementSeconds: 30 },
    recyclerHostPath: { templateFile: undefined, minimumSeconds: 60, incrementSeconds: 30 },
  },
  podGarbageCollector: { terminatedPodThreshold: 12_500 },
  replicaSet: workers(5),
  replicationController: workers(5),
  resourceQuota: { ...workers(5), syncPeriodMs: 5 * minuteMs },
  serviceAccountToken: { ...workers(5), privateKeyFile: undefined },
  signing: {
    durationMs: 8760 * hourMs,
    signers: {
      kubeApiserverClient: undefined,
      kubeletClient: undefined,
      kubeletServing: undefined,
      legacyUnknown: undefined,
    },
  },
  statefulSet: workers(5),
  ttlAfterFinished: workers(5),
  validatingAdmissionPolicyStatus: workers(5),
};
