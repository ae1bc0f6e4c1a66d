/** The names of the controllers, as `--controllers` has them, and which of them it asks for. */

export interface ControllerName {
  readonly name: string;
  /** The names of before 1.27, which are accepted as well. */
  readonly aliases: readonly string[];
  /** Whether `*` stands for it too. */
  readonly isDefault: boolean;
  /** Runs only when all of these are on. */
  readonly gates: readonly string[];
  /** One of the cloud controller manager, which runs only with a cloud provider. */
  readonly isCloud: boolean;
}

interface Details {
  readonly isDefault?: boolean;
  readonly gates?: readonly string[];
  readonly isCloud?: boolean;
}

const named = (name: string, aliases: string | readonly string[] = [], details: Details = {}): ControllerName => ({
  name,
  aliases: [aliases].flat(),
  isDefault: true,
  gates: [],
  isCloud: false,
  ...details,
});

/** In upstream's order of starts, but for the token controller, which comes first. */
export const controllerNames: readonly ControllerName[] = [
  named('serviceaccount-token-controller', 'serviceaccount-token'),
  named('endpoints-controller', 'endpoint'),
  named('endpointslice-controller', 'endpointslice'),
  named('endpointslice-mirroring-controller', 'endpointslicemirroring'),
  named('replicationcontroller-controller', 'replicationcontroller'),
  named('pod-garbage-collector-controller', 'podgc'),
  named('resourcequota-controller', 'resourcequota'),
  named('namespace-controller', 'namespace'),
  named('serviceaccount-controller', 'serviceaccount'),
  named('garbage-collector-controller', 'garbagecollector'),
  named('daemonset-controller', 'daemonset'),
  named('job-controller', 'job'),
  named('deployment-controller', 'deployment'),
  named('replicaset-controller', 'replicaset'),
  named('horizontal-pod-autoscaler-controller', 'horizontalpodautoscaling'),
  named('disruption-controller', 'disruption'),
  named('statefulset-controller', 'statefulset'),
  named('cronjob-controller', 'cronjob'),
  named('certificatesigningrequest-signing-controller', 'csrsigning'),
  named('certificatesigningrequest-approving-controller', 'csrapproving'),
  named('certificatesigningrequest-cleaner-controller', 'csrcleaner'),
  named('ttl-controller', 'ttl'),
  named('bootstrap-signer-controller', 'bootstrapsigner', { isDefault: false }),
  named('token-cleaner-controller', 'tokencleaner', { isDefault: false }),
  named('node-ipam-controller', 'nodeipam'),
  named('node-lifecycle-controller', 'nodelifecycle'),
  named('service-lb-controller', 'service', { isCloud: true }),
  named('node-route-controller', 'route', { isCloud: true }),
  named('cloud-node-lifecycle-controller', 'cloud-node-lifecycle', { isCloud: true }),
  named('persistentvolume-binder-controller', 'persistentvolume-binder'),
  named('persistentvolume-attach-detach-controller', 'attachdetach'),
  named('persistentvolume-expander-controller', 'persistentvolume-expander'),
  named('clusterrole-aggregation-controller', 'clusterrole-aggregation'),
  named('persistentvolumeclaim-protection-controller', 'pvc-protection'),
  named('persistentvolume-protection-controller', 'pv-protection'),
  named('volumeattributesclass-protection-controller', [], { gates: ['VolumeAttributesClass'] }),
  named('ttl-after-finished-controller', 'ttl-after-finished'),
  named('root-ca-certificate-publisher-controller', 'root-ca-cert-publisher'),
  named('kube-apiserver-serving-clustertrustbundle-publisher-controller', [], { gates: ['ClusterTrustBundle'] }),
  named('ephemeral-volume-controller', 'ephemeral-volume'),
  named('storageversion-garbage-collector-controller', 'storage-version-gc', {
    gates: ['APIServerIdentity', 'StorageVersionAPI'],
  }),
  named('resourceclaim-controller', 'resource-claim-controller', { gates: ['DynamicResourceAllocation'] }),
  named('legacy-serviceaccount-token-cleaner-controller', 'legacy-service-account-token-cleaner'),
  named('validatingadmissionpolicy-status-controller'),
  named('taint-eviction-controller', [], { gates: ['SeparateTaintEvictionController'] }),
  named('service-cidr-controller', [], { gates: ['MultiCIDRServiceAllocator'] }),
  named('storage-version-migrator-controller', 'svm', { gates: ['StorageVersionMigrator', 'InformerResourceVersion'] }),
  named('selinux-warning-controller', [], { isDefault: false, gates: ['SELinuxChangePolicy'] }),
];

const byName: ReadonlyMap<string, ControllerName> = new Map(
  controllerNames.flatMap((controller) => [controller.name, ...controller.aliases].map((name) => [name, controller])),
);

/** The controller of a name or an alias. */
export const findController = (name: string): ControllerName | undefined => byName.get(name);

/**
 * Whether `--controllers` asks for a controller: the first item that names it decides, `name` for it and `-name`
 * against it; then `*`, which stands for those that are on by default. Gates are another matter.
 */
export function isControllerEnabled(controller: ControllerName, selection: readonly string[]): boolean {
  for (const item of selection) {
    if (findController(item)?.name === controller.name) return true;
    if (item.startsWith('-') && findController(item.slice(1))?.name === controller.name) return false;
  }
  return selection.includes('*') && controller.isDefault;
}
