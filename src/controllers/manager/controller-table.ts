/** The code of each controller, and who it is to the API server. `controller-names.ts` has their names and order. */
import type { StartController } from './context.ts';
import { type ControllerName, controllerNames } from './controller-names.ts';

/** In place of an account: the identity of the process itself, with which the shared informers read. */
export const processAccount = 'shared-informers';

export interface ControllerCode {
  /** Its service account in `kube-system`, with `--use-service-account-credentials`. */
  readonly account: string;
  /** Who reports its events; the account when absent. */
  readonly reporter?: string;
  /** For controllers that make many requests for one change. */
  readonly rates?: RateFactors;
  /** Loads the code when the controller is to run. Absent for one that is a name only. */
  readonly load?: () => Promise<StartController>;
}

/** How many times the rates of the process the client of a controller has. */
export interface RateFactors {
  readonly qps: number;
  readonly burst: number;
}

export type ControllerDefinition = ControllerName & ControllerCode;

const code: Readonly<Record<string, ControllerCode>> = {
  'serviceaccount-token-controller': {
    // Accounts may have no tokens but by this controller.
    account: processAccount,
    reporter: 'tokens-controller',
    load: async () => (await import('../service-account-tokens/controller.ts')).startServiceAccountTokens,
  },
  'endpoints-controller': {
    account: 'endpoint-controller',
    load: async () => (await import('../endpoints/controller.ts')).startEndpoints,
  },
  'endpointslice-controller': {
    account: 'endpointslice-controller',
    reporter: 'endpoint-slice-controller',
    load: async () => (await import('../endpoint-slices/controller.ts')).startEndpointSlices,
  },
  'endpointslice-mirroring-controller': {
    account: 'endpointslicemirroring-controller',
    reporter: 'endpoint-slice-mirroring-controller',
    load: async () => (await import('../endpoint-slice-mirroring/controller.ts')).startEndpointSliceMirroring,
  },
  'replicationcontroller-controller': {
    account: 'replication-controller',
    load: async () => (await import('../replica-sets/controller.ts')).startReplicationControllers,
  },
  'pod-garbage-collector-controller': {
    account: 'pod-garbage-collector',
    load: async () => (await import('../pod-garbage-collection/controller.ts')).startPodGarbageCollection,
  },
  'resourcequota-controller': {
    account: 'resourcequota-controller',
    load: async () => (await import('../resource-quotas/controller.ts')).startResourceQuotas,
  },
  'namespace-controller': {
    account: 'namespace-controller',
    rates: { qps: 20, burst: 100 },
    load: async () => (await import('../namespaces/controller.ts')).startNamespaces,
  },
  'serviceaccount-controller': {
    account: 'service-account-controller',
    load: async () => (await import('../service-accounts/controller.ts')).startServiceAccounts,
  },
  'garbage-collector-controller': {
    account: 'generic-garbage-collector',
    reporter: 'garbage-collector-controller',
    rates: { qps: 2, burst: 1 },
    load: async () => (await import('../garbage-collection/controller.ts')).startGarbageCollection,
  },
  'daemonset-controller': {
    account: 'daemon-set-controller',
    reporter: 'daemonset-controller',
    load: async () => (await import('../daemon-sets/controller.ts')).startDaemonSets,
  },
  'job-controller': {
    account: 'job-controller',
    load: async () => (await import('../jobs/controller.ts')).startJobs,
  },
  'deployment-controller': {
    account: 'deployment-controller',
    load: async () => (await import('../deployments/controller.ts')).startDeployments,
  },
  'replicaset-controller': {
    account: 'replicaset-controller',
    load: async () => (await import('../replica-sets/controller.ts')).startReplicaSets,
  },
  'horizontal-pod-autoscaler-controller': {
    account: 'horizontal-pod-autoscaler',
    load: async () => (await import('../horizontal-pod-autoscalers/controller.ts')).startHorizontalPodAutoscalers,
  },
  'disruption-controller': {
    account: 'disruption-controller',
    reporter: 'controllermanager',
    load: async () => (await import('../disruption-budgets/controller.ts')).startDisruptionBudgets,
  },
  'statefulset-controller': {
    account: 'statefulset-controller',
    load: async () => (await import('../stateful-sets/controller.ts')).startStatefulSets,
  },
  'cronjob-controller': {
    account: 'cronjob-controller',
    load: async () => (await import('../cron-jobs/controller.ts')).startCronJobs,
  },
  'certificatesigningrequest-signing-controller': {
    account: 'certificate-controller',
    load: async () => (await import('../certificate-requests/signing.ts')).startCertificateSigning,
  },
  'certificatesigningrequest-approving-controller': {
    account: 'certificate-controller',
    load: async () => (await import('../certificate-requests/approving.ts')).startCertificateApproving,
  },
  'certificatesigningrequest-cleaner-controller': {
    account: 'certificate-controller',
    load: async () => (await import('../certificate-requests/cleaning.ts')).startCertificateCleaning,
  },
  'ttl-controller': {
    account: 'ttl-controller',
    load: async () => (await import('../node-ttl/controller.ts')).startNodeTtl,
  },
  'bootstrap-signer-controller': {
    account: 'bootstrap-signer',
    load: async () => (await import('../bootstrap-signer/controller.ts')).startBootstrapSigner,
  },
  'token-cleaner-controller': {
    account: 'token-cleaner',
    load: async () => (await import('../token-cleaner/controller.ts')).startTokenCleaner,
  },
  'node-ipam-controller': {
    account: 'node-controller',
    reporter: 'cidrAllocator',
    load: async () => (await import('../node-ipam/controller.ts')).startNodeIpam,
  },
  'node-lifecycle-controller': {
    account: 'node-controller',
    load: async () => (await import('../node-lifecycle/controller.ts')).startNodeLifecycle,
  },
  'service-lb-controller': {
    account: 'service-controller',
    load: async () => (await import('../load-balancers/controller.ts')).startLoadBalancers,
  },
  'node-route-controller': {
    account: 'route-controller',
    reporter: 'route_controller',
    load: async () => (await import('../routes/controller.ts')).startRoutes,
  },
  'cloud-node-lifecycle-controller': { account: 'cloud-node-lifecycle-controller' },
  'persistentvolume-binder-controller': {
    account: 'persistent-volume-binder',
    reporter: 'persistentvolume-controller',
    load: async () => (await import('../volume-binding/controller.ts')).startVolumeBinding,
  },
  'persistentvolume-attach-detach-controller': {
    account: 'attachdetach-controller',
    load: async () => (await import('../volume-attachments/controller.ts')).startVolumeAttachments,
  },
  'persistentvolume-expander-controller': {
    account: 'expand-controller',
    reporter: 'volume_expand',
    load: async () => (await import('../volume-expansion/controller.ts')).startVolumeExpansion,
  },
  'clusterrole-aggregation-controller': {
    account: 'clusterrole-aggregation-controller',
    load: async () => (await import('../cluster-role-aggregation/controller.ts')).startClusterRoleAggregation,
  },
  'persistentvolumeclaim-protection-controller': {
    account: 'pvc-protection-controller',
    load: async () => (await import('../claim-protection/controller.ts')).startClaimProtection,
  },
  'persistentvolume-protection-controller': {
    account: 'pv-protection-controller',
    load: async () => (await import('../volume-protection/controller.ts')).startVolumeProtection,
  },
  'volumeattributesclass-protection-controller': {
    account: 'volumeattributesclass-protection-controller',
    load: async () => (await import('../volume-attributes-protection/controller.ts')).startVolumeAttributesProtection,
  },
  'ttl-after-finished-controller': {
    account: 'ttl-after-finished-controller',
    load: async () => (await import('../ttl-after-finished/controller.ts')).startTtlAfterFinished,
  },
  'root-ca-certificate-publisher-controller': {
    account: 'root-ca-cert-publisher',
    load: async () => (await import('../root-certificates/controller.ts')).startRootCertificates,
  },
  'kube-apiserver-serving-clustertrustbundle-publisher-controller': {
    account: 'kube-apiserver-serving-clustertrustbundle-publisher',
    load: async () => (await import('../cluster-trust-bundles/controller.ts')).startClusterTrustBundle,
  },
  'ephemeral-volume-controller': {
    account: 'ephemeral-volume-controller',
    reporter: 'ephemeral_volume',
    load: async () => (await import('../ephemeral-volumes/controller.ts')).startEphemeralVolumes,
  },
  'storageversion-garbage-collector-controller': {
    account: 'storage-version-garbage-collector',
    load: async () => (await import('../storage-versions/controller.ts')).startStorageVersions,
  },
  'resourceclaim-controller': {
    account: 'resource-claim-controller',
    reporter: 'resource_claim',
    load: async () => (await import('../resource-claims/controller.ts')).startResourceClaims,
  },
  'legacy-serviceaccount-token-cleaner-controller': {
    account: 'legacy-service-account-token-cleaner',
    load: async () => (await import('../legacy-tokens/controller.ts')).startLegacyTokenCleaner,
  },
  'validatingadmissionpolicy-status-controller': {
    account: 'validatingadmissionpolicy-status-controller',
    load: async () =>
      (await import('../validating-admission-policies/controller.ts')).startValidatingAdmissionPolicyStatus,
  },
  'taint-eviction-controller': {
    account: 'node-controller',
    reporter: 'taint-eviction-controller',
    load: async () => (await import('../taint-eviction/controller.ts')).startTaintEviction,
  },
  'service-cidr-controller': {
    account: 'service-cidrs-controller',
    load: async () => (await import('../service-cidrs/controller.ts')).startServiceCidrs,
  },
  'storage-version-migrator-controller': {
    account: 'storage-version-migrator-controller',
    load: async () => (await import('../storage-version-migrations/controller.ts')).startStorageVersionMigrations,
  },
  'selinux-warning-controller': {
    account: 'selinux-warning-controller',
    reporter: 'selinux_warning',
    load: async () => (await import('../selinux-warnings/controller.ts')).startSELinuxWarnings,
  },
};

/** In the order of their start. */
export const controllerTable: readonly ControllerDefinition[] = controllerNames.map((name) => ({
  ...name,
  ...code[name.name]!,
}));
