/** What comes with feature gates that are off by default. */
import type { Binding } from './bindings.ts';
import { on, onPaths, type RuleTable, writesEvents } from './rules.ts';

export interface GatedPolicy {
  /** All of them must be on. */
  readonly gates: readonly string[];
  /** Rules that roles have besides. */
  readonly adds?: RuleTable;
  readonly controllers?: RuleTable;
  readonly roles?: RuleTable;
  readonly bindings?: Readonly<Record<string, Binding>>;
}

export const gatedPolicies: readonly GatedPolicy[] = [
  {
    gates: ['DynamicResourceAllocation'],
    adds: {
      'system:node': [
        on('resource.k8s.io', 'resourceclaims', 'get'),
        on('resource.k8s.io', 'resourceslices', 'deletecollection'),
      ],
      'system:kube-scheduler': [
        on('resource.k8s.io', 'deviceclasses', 'get,list,watch'),
        on('resource.k8s.io', 'resourceclaims', 'get,list,patch,update,watch'),
        on('resource.k8s.io', 'resourceclaims/status', 'get,list,patch,update,watch'),
        on('', 'pods/finalizers', 'get,list,patch,update,watch'),
        on('resource.k8s.io', 'resourceslices', 'get,list,watch'),
      ],
    },
    controllers: {
      'resource-claim-controller': [
        on('', 'pods', 'get,list,watch'),
        on('', 'pods/finalizers', 'update'),
        on('resource.k8s.io', 'resourceclaims', 'create,delete,get,list,watch'),
        on('resource.k8s.io', 'resourceclaims,resourceclaims/status', 'patch,update'),
        on('', 'pods/status', 'patch,update'),
        writesEvents,
      ],
    },
  },
  {
    gates: ['ClusterTrustBundle'],
    adds: {
      'system:node': [on('certificates.k8s.io', 'clustertrustbundles', 'get,list,watch')],
    },
    controllers: {
      'kube-apiserver-serving-clustertrustbundle-publisher': [
        on('certificates.k8s.io', 'signers', 'attest', 'kubernetes.io/kube-apiserver-serving'),
        on('certificates.k8s.io', 'clustertrustbundles', 'create,delete,list,update,watch'),
        writesEvents,
      ],
    },
    roles: {
      'system:cluster-trust-bundle-discovery': [on('certificates.k8s.io', 'clustertrustbundles', 'get,list,watch')],
    },
    bindings: {
      'system:cluster-trust-bundle-discovery': {
        role: 'ClusterRole/system:cluster-trust-bundle-discovery',
        subjects: ['Group/system:serviceaccounts'],
      },
    },
  },
  {
    gates: ['ComponentFlagz'],
    adds: {
      'system:monitoring': [onPaths('get', '/flagz')],
    },
  },
  {
    gates: ['ComponentStatusz'],
    adds: {
      'system:monitoring': [onPaths('get', '/statusz')],
    },
  },
  {
    gates: ['KubeletFineGrainedAuthz'],
    adds: {
      'system:kubelet-api-admin': [on('', 'nodes/configz,nodes/healthz,nodes/pods', '*')],
    },
  },
  {
    gates: ['MultiCIDRServiceAllocator'],
    adds: {
      'system:node-proxier': [on('networking.k8s.io', 'servicecidrs', 'list,watch')],
    },
    controllers: {
      'service-cidrs-controller': [
        on('networking.k8s.io', 'servicecidrs', 'get,list,patch,update,watch'),
        on('networking.k8s.io', 'servicecidrs/finalizers', 'patch,update'),
        on('networking.k8s.io', 'servicecidrs/status', 'patch,update'),
        on('networking.k8s.io', 'ipaddresses', 'get,list,watch'),
        writesEvents,
      ],
    },
  },
  {
    gates: ['VolumeAttributesClass'],
    controllers: {
      'volumeattributesclass-protection-controller': [
        on('', 'persistentvolumeclaims', 'get,list,watch'),
        on('', 'persistentvolumes', 'get,list,watch'),
        on('storage.k8s.io', 'volumeattributesclasses', 'get,list,update,watch'),
        writesEvents,
      ],
    },
  },
  {
    gates: ['APIServerIdentity', 'StorageVersionAPI'],
    controllers: {
      'storage-version-garbage-collector': [
        on('coordination.k8s.io', 'leases', 'get,list,watch'),
        on('internal.apiserver.k8s.io', 'storageversions', 'delete,get,list,patch,update,watch'),
        on('internal.apiserver.k8s.io', 'storageversions/status', 'get,patch,update'),
      ],
    },
  },
  {
    gates: ['StorageVersionMigrator'],
    controllers: {
      'storage-version-migrator-controller': [
        on('*', '*', 'create,list,patch,watch'),
        on('storagemigration.k8s.io', 'storageversionmigrations/status', 'update'),
      ],
    },
  },
  {
    gates: ['SELinuxChangePolicy'],
    controllers: {
      'selinux-warning-controller': [
        writesEvents,
        on('', 'persistentvolumes', 'get,list,watch'),
        on('', 'persistentvolumeclaims', 'get,list,watch'),
        on('', 'pods', 'get,list,watch'),
        on('storage.k8s.io', 'csidrivers', 'get,list,watch'),
      ],
    },
  },
];
