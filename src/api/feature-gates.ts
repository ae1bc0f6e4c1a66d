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
  PodLevelResources: { stage: 'alpha', default: false },
  PodLifecycleSleepAction: { stage: 'beta', default: true },
  PodLogsQuerySplitStreams: { stage: 'alpha', default: false },
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
  UserNamespacesSupport: { stage: 'beta', default: false },
  VolumeAttributesClass: { stage: 'beta', default: false },
  WatchCacheInitializationPostStartHook: { stage: 'beta', default: false },
};

/** Which gates were set, and to what. */
export type GateSettings = Readonly<Record<string, boolean>>;

/** A gate that is not listed has served its time: what it guarded is always there. */
export function isGateOn(gate: string, settings: GateSettings = {}): boolean {
  const known = Object.hasOwn(FEATURE_GATES, gate) ? FEATURE_GATES[gate] : undefined;
  if (known === undefined) return true;
  return known.locked || !Object.hasOwn(settings, gate) ? known.default : (settings[gate] ?? known.default);
}

/** All gates, for those who show them. */
export const featureGateStates = (
  settings: GateSettings,
): { readonly name: string; readonly stage: FeatureGate['stage']; readonly isOn: boolean }[] =>
  Object.entries(FEATURE_GATES).map(([name, { stage }]) => ({ name, stage, isOn: isGateOn(name, settings) }));
