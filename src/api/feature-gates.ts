/**
 * Feature gates of the API: their stage, whether they are on unless `--feature-gates` says otherwise, and whether that
 * can still be changed.
 *
 * @see {@link https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/ | Feature gates}
 */
export interface FeatureGate {
  readonly stage: 'alpha' | 'beta' | 'ga' | 'deprecated';
  readonly default: boolean;
  /** The default can no longer be changed. */
  readonly locked?: true;
}

export const FEATURE_GATES: Readonly<Record<string, FeatureGate>> = {
  APIServerIdentity: { stage: 'beta', default: true },
  AuthorizeNodeWithSelectors: { stage: 'beta', default: true },
  AuthorizeWithSelectors: { stage: 'beta', default: true },
  CRDValidationRatcheting: { stage: 'beta', default: true },
  ClusterTrustBundle: { stage: 'alpha', default: false },
  ClusterTrustBundleProjection: { stage: 'alpha', default: false },
  ComponentFlagz: { stage: 'alpha', default: false },
  ComponentStatusz: { stage: 'alpha', default: false },
  CoordinatedLeaderElection: { stage: 'alpha', default: false },
  CrossNamespaceVolumeDataSource: { stage: 'alpha', default: false },
  CustomResourceFieldSelectors: { stage: 'beta', default: true },
  DRAAdminAccess: { stage: 'alpha', default: false },
  DRAResourceClaimDeviceStatus: { stage: 'alpha', default: false },
  DisableAllocatorDualWrite: { stage: 'alpha', default: false },
  DynamicResourceAllocation: { stage: 'beta', default: false },
  ElasticIndexedJob: { stage: 'ga', default: true, locked: true },
  ExternalServiceAccountTokenSigner: { stage: 'alpha', default: false },
  HPAScaleToZero: { stage: 'alpha', default: false },
  ImageVolume: { stage: 'alpha', default: false },
  InPlacePodVerticalScaling: { stage: 'alpha', default: false },
  InPlacePodVerticalScalingAllocatedStatus: { stage: 'alpha', default: false },
  JobPodReplacementPolicy: { stage: 'beta', default: true },
  KMSv1: { stage: 'deprecated', default: false },
  KubeletFineGrainedAuthz: { stage: 'alpha', default: false },
  MaxUnavailableStatefulSet: { stage: 'alpha', default: false },
  MultiCIDRServiceAllocator: { stage: 'beta', default: false },
  MutatingAdmissionPolicy: { stage: 'alpha', default: false },
  PodLevelResources: { stage: 'alpha', default: false },
  PodLifecycleSleepAction: { stage: 'beta', default: true },
  PodLogsQuerySplitStreams: { stage: 'alpha', default: false },
  PortForwardWebsockets: { stage: 'beta', default: true },
  RecoverVolumeExpansionFailure: { stage: 'beta', default: true },
  RecursiveReadOnlyMounts: { stage: 'beta', default: true },
  RelaxedEnvironmentVariableValidation: { stage: 'beta', default: true },
  RemoteRequestHeaderUID: { stage: 'alpha', default: false },
  ResilientWatchCacheInitialization: { stage: 'beta', default: true },
  ResourceHealthStatus: { stage: 'alpha', default: false },
  SELinuxChangePolicy: { stage: 'alpha', default: false },
  SELinuxMountReadWriteOncePod: { stage: 'beta', default: true },
  ServiceTrafficDistribution: { stage: 'beta', default: true },
  SidecarContainers: { stage: 'beta', default: true },
  StatefulSetAutoDeletePVC: { stage: 'ga', default: true, locked: true },
  StorageVersionAPI: { stage: 'alpha', default: false },
  StorageVersionMigrator: { stage: 'alpha', default: false },
  SupplementalGroupsPolicy: { stage: 'alpha', default: false },
  TopologyAwareHints: { stage: 'beta', default: true },
  TranslateStreamCloseWebsocketRequests: { stage: 'beta', default: true },
  UnknownVersionInteroperabilityProxy: { stage: 'alpha', default: false },
  UserNamespacesSupport: { stage: 'beta', default: false },
  VolumeAttributesClass: { stage: 'beta', default: false },
  WatchCacheInitializationPostStartHook: { stage: 'beta', default: false },
};

/** Those that only the daemons beside the API server ask for. */
export const DAEMON_FEATURE_GATES: Readonly<Record<string, FeatureGate>> = {
  AnyVolumeDataSource: { stage: 'beta', default: true },
  CSIMigrationPortworx: { stage: 'beta', default: true },
  ContextualLogging: { stage: 'beta', default: true },
  CronJobsScheduledAnnotation: { stage: 'ga', default: true, locked: true },
  HonorPVReclaimPolicy: { stage: 'beta', default: true },
  InformerResourceVersion: { stage: 'alpha', default: false },
  JobBackoffLimitPerIndex: { stage: 'beta', default: true },
  JobManagedBy: { stage: 'beta', default: true },
  JobSuccessPolicy: { stage: 'beta', default: true },
  LoggingAlphaOptions: { stage: 'alpha', default: false },
  LoggingBetaOptions: { stage: 'beta', default: true },
  MatchLabelKeysInPodAffinity: { stage: 'beta', default: true },
  MatchLabelKeysInPodTopologySpread: { stage: 'beta', default: true },
  NodeInclusionPolicyInPodTopologySpread: { stage: 'beta', default: true },
  OrderedNamespaceDeletion: { stage: 'beta', default: false },
  PodIndexLabel: { stage: 'ga', default: true, locked: true },
  SELinuxMount: { stage: 'alpha', default: false },
  SchedulerAsyncPreemption: { stage: 'alpha', default: false },
  SchedulerQueueingHints: { stage: 'beta', default: true },
  SeparateTaintEvictionController: { stage: 'beta', default: true },
  VolumeCapacityPriority: { stage: 'alpha', default: false },
  WatchListClient: { stage: 'beta', default: true },
};

/** Those that only the agent of a node asks for. */
export const NODE_FEATURE_GATES: Readonly<Record<string, FeatureGate>> = {
  AppArmorFields: { stage: 'ga', default: true, locked: true },
  CPUManagerPolicyAlphaOptions: { stage: 'alpha', default: false },
  CPUManagerPolicyBetaOptions: { stage: 'beta', default: true },
  CPUManagerPolicyOptions: { stage: 'beta', default: true },
  ContainerCheckpoint: { stage: 'beta', default: true },
  CustomCPUCFSQuotaPeriod: { stage: 'alpha', default: false },
  DisableNodeKubeProxyVersion: { stage: 'deprecated', default: false },
  EventedPLEG: { stage: 'alpha', default: false },
  GracefulNodeShutdown: { stage: 'beta', default: true },
  GracefulNodeShutdownBasedOnPodPriority: { stage: 'beta', default: true },
  ImageMaximumGCAge: { stage: 'beta', default: true },
  KubeletCgroupDriverFromCRI: { stage: 'beta', default: true },
  KubeletCrashLoopBackOffMax: { stage: 'alpha', default: false },
  KubeletInUserNamespace: { stage: 'alpha', default: false },
  KubeletPodResourcesDynamicResources: { stage: 'alpha', default: false },
  KubeletPodResourcesGet: { stage: 'alpha', default: false },
  KubeletRegistrationGetOnExistsOnly: { stage: 'deprecated', default: false },
  KubeletSeparateDiskGC: { stage: 'beta', default: true },
  KubeletTracing: { stage: 'beta', default: true },
  LocalStorageCapacityIsolationFSQuotaMonitoring: { stage: 'beta', default: false },
  MemoryManager: { stage: 'ga', default: true, locked: true },
  MemoryQoS: { stage: 'alpha', default: false },
  NodeLogQuery: { stage: 'beta', default: false },
  NodeSwap: { stage: 'beta', default: true },
  PodAndContainerStatsFromCRI: { stage: 'alpha', default: false },
  PodReadyToStartContainersCondition: { stage: 'beta', default: true },
  ProcMountType: { stage: 'beta', default: false },
  QOSReserved: { stage: 'alpha', default: false },
  RotateKubeletServerCertificate: { stage: 'beta', default: true },
  RuntimeClassInImageCriApi: { stage: 'alpha', default: false },
  ServiceAccountTokenPodNodeInfo: { stage: 'ga', default: true, locked: true },
  SizeMemoryBackedVolumes: { stage: 'ga', default: true, locked: true },
  SystemdWatchdog: { stage: 'beta', default: true },
  TopologyManagerPolicyAlphaOptions: { stage: 'alpha', default: false },
  TopologyManagerPolicyBetaOptions: { stage: 'beta', default: true },
  TopologyManagerPolicyOptions: { stage: 'ga', default: true, locked: true },
};

/** Which gates were set, and to what. */
export type GateSettings = Readonly<Record<string, boolean>>;

/** A gate that is not listed has served its time: what it guarded is always there. */
export function isGateOn(gate: string, settings: GateSettings = {}): boolean {
  const known = [FEATURE_GATES, DAEMON_FEATURE_GATES, NODE_FEATURE_GATES].find((gates) => Object.hasOwn(gates, gate))?.[
    gate
  ];
  if (known === undefined) return true;
  return known.locked || !Object.hasOwn(settings, gate) ? known.default : (settings[gate] ?? known.default);
}

/** All gates of a table, to be shown. */
export const featureGateStates = (
  settings: GateSettings,
  gates = FEATURE_GATES,
): { readonly name: string; readonly stage: FeatureGate['stage']; readonly isOn: boolean }[] =>
  Object.entries(gates).map(([name, { stage }]) => ({ name, stage, isOn: isGateOn(name, settings) }));
