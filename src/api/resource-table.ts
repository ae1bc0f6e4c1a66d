/**
 * The built-in resources as data. What a row does not say is the usual: namespaced, all verbs, `<Kind>List`, the kind
 * in lower case as singular name, stored in its own version under its plural name. `resources.ts` expands the rows.
 *
 * @see {@link https://kubernetes.io/docs/reference/using-api/ | API groups and versions}
 */
export interface ResourceRow {
  readonly name: string;
  readonly kind: string;
  readonly cluster?: true;
  readonly short?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs?: readonly Verb[];
  /** False for what is computed when read; what can only be created is never stored. */
  readonly storage?: false;
  /** apiVersion of the storage version. */
  readonly stored?: string;
  readonly prefix?: string;
  /** apiVersion in the storage version hash where it is not that of the storage version. */
  readonly hashedAs?: string;
  /** Field selectors besides metadata.name and metadata.namespace. */
  readonly fields?: readonly string[];
  /** A delete that removes the object at once answers with the object instead of a Status. */
  readonly returnsDeleted?: true;
  readonly sub?: readonly SubresourceRow[];
}

export interface SubresourceRow {
  readonly name: string;
  /** Absent where it is the resource's own kind. */
  readonly kind?: string;
  /** Of the kind, where it is not that of the resource. */
  readonly apiVersion?: string;
  readonly verbs: readonly Verb[];
  /** Served while this gate is on. */
  readonly featureGate?: string;
}

export interface GroupVersionRow {
  readonly group: string;
  readonly version: string;
  /** Package of the types. */
  readonly types: string;
  /** Order of groups and of versions in discovery: higher comes first. */
  readonly priority: readonly [group: number, version: number];
  readonly enabledByDefault?: false;
  readonly resources: readonly ResourceRow[];
}

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

export const ALL_VERBS: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];
const CREATE: readonly Verb[] = ['create'];
const GET: readonly Verb[] = ['get'];
const UPDATE: readonly Verb[] = ['update'];
const CREATE_GET: readonly Verb[] = ['create', 'get'];
const GET_PUT_PATCH: readonly Verb[] = ['get', 'patch', 'update'];
const PROXY: readonly Verb[] = ['create', 'delete', 'get', 'patch', 'update'];
const STATUS: SubresourceRow = { name: 'status', verbs: GET_PUT_PATCH };
const SCALE: SubresourceRow = { name: 'scale', kind: 'Scale', apiVersion: 'autoscaling/v1', verbs: GET_PUT_PATCH };

const referenceFields = (field: string): string[] =>
  ['apiVersion', 'fieldPath', 'kind', 'name', 'namespace', 'resourceVersion', 'uid'].map(
    (member) => `${field}.${member}`,
  );

export const TABLE: readonly GroupVersionRow[] = [
  {
    group: '',
    version: 'v1',
    types: 'core/v1',
    priority: [18000, 1],
    resources: [
      { name: 'bindings', kind: 'Binding', verbs: CREATE },
      {
        name: 'componentstatuses',
        kind: 'ComponentStatus',
        cluster: true,
        short: ['cs'],
        verbs: ['get', 'list'],
        storage: false,
      },
      { name: 'configmaps', kind: 'ConfigMap', short: ['cm'] },
      { name: 'endpoints', kind: 'Endpoints', short: ['ep'], prefix: 'services/endpoints' },
      {
        name: 'events',
        kind: 'Event',
        short: ['ev'],
        fields: [...referenceFields('involvedObject'), 'reason', 'reportingComponent', 'source', 'type'],
      },
      { name: 'limitranges', kind: 'LimitRange', short: ['limits'] },
      {
        name: 'namespaces',
        kind: 'Namespace',
        cluster: true,
        short: ['ns'],
        verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
        fields: ['status.phase'],
        sub: [{ name: 'finalize', verbs: UPDATE }, STATUS],
      },
      {
        name: 'nodes',
        kind: 'Node',
        cluster: true,
        short: ['no'],
        prefix: 'minions',
        fields: ['spec.unschedulable'],
        sub: [{ name: 'proxy', kind: 'NodeProxyOptions', verbs: PROXY }, STATUS],
      },
      {
        name: 'persistentvolumeclaims',
        kind: 'PersistentVolumeClaim',
        returnsDeleted: true,
        short: ['pvc'],
        sub: [STATUS],
      },
      {
        name: 'persistentvolumes',
        kind: 'PersistentVolume',
        cluster: true,
        returnsDeleted: true,
        short: ['pv'],
        sub: [STATUS],
      },
      {
        name: 'pods',
        kind: 'Pod',
        returnsDeleted: true,
        short: ['po'],
        categories: ['all'],
        fields: [
          'spec.hostNetwork',
          'spec.nodeName',
          'spec.restartPolicy',
          'spec.schedulerName',
          'spec.serviceAccountName',
          'status.nominatedNodeName',
          'status.phase',
          'status.podIP',
          'status.podIPs',
        ],
        sub: [
          { name: 'attach', kind: 'PodAttachOptions', verbs: CREATE_GET },
          { name: 'binding', kind: 'Binding', verbs: CREATE },
          { name: 'ephemeralcontainers', verbs: GET_PUT_PATCH },
          { name: 'eviction', kind: 'Eviction', verbs: CREATE, apiVersion: 'policy/v1' },
          { name: 'exec', kind: 'PodExecOptions', verbs: CREATE_GET },
          { name: 'log', verbs: GET },
          { name: 'portforward', kind: 'PodPortForwardOptions', verbs: CREATE_GET },
          { name: 'proxy', kind: 'PodProxyOptions', verbs: PROXY },
          { name: 'resize', verbs: GET_PUT_PATCH, featureGate: 'InPlacePodVerticalScaling' },
          STATUS,
        ],
      },
      { name: 'podtemplates', kind: 'PodTemplate', returnsDeleted: true },
      {
        name: 'replicationcontrollers',
        kind: 'ReplicationController',
        short: ['rc'],
        categories: ['all'],
        prefix: 'controllers',
        fields: ['status.replicas'],
        sub: [SCALE, STATUS],
      },
      { name: 'resourcequotas', kind: 'ResourceQuota', returnsDeleted: true, short: ['quota'], sub: [STATUS] },
      { name: 'secrets', kind: 'Secret', fields: ['type'] },
      {
        name: 'serviceaccounts',
        kind: 'ServiceAccount',
        returnsDeleted: true,
        short: ['sa'],
        sub: [{ name: 'token', kind: 'TokenRequest', verbs: CREATE, apiVersion: 'authentication.k8s.io/v1' }],
      },
      {
        name: 'services',
        kind: 'Service',
        returnsDeleted: true,
        short: ['svc'],
        categories: ['all'],
        prefix: 'services/specs',
        fields: ['spec.clusterIP', 'spec.type'],
        sub: [{ name: 'proxy', kind: 'ServiceProxyOptions', verbs: PROXY }, STATUS],
      },
    ],
  },
  {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    types: 'admissionregistration/v1',
    priority: [16700, 15],
    resources: [
      {
        name: 'mutatingwebhookconfigurations',
        kind: 'MutatingWebhookConfiguration',
        cluster: true,
        categories: ['api-extensions'],
      },
      {
        name: 'validatingadmissionpolicies',
        kind: 'ValidatingAdmissionPolicy',
        cluster: true,
        categories: ['api-extensions'],
        sub: [STATUS],
      },
      {
        name: 'validatingadmissionpolicybindings',
        kind: 'ValidatingAdmissionPolicyBinding',
        cluster: true,
        categories: ['api-extensions'],
      },
      {
        name: 'validatingwebhookconfigurations',
        kind: 'ValidatingWebhookConfiguration',
        cluster: true,
        categories: ['api-extensions'],
      },
    ],
  },
  {
    group: 'admissionregistration.k8s.io',
    version: 'v1beta1',
    types: 'admissionregistration/v1beta1',
    priority: [16700, 12],
    enabledByDefault: false,
    resources: [
      {
        name: 'validatingadmissionpolicies',
        kind: 'ValidatingAdmissionPolicy',
        cluster: true,
        categories: ['api-extensions'],
        stored: 'admissionregistration.k8s.io/v1',
        sub: [STATUS],
      },
      {
        name: 'validatingadmissionpolicybindings',
        kind: 'ValidatingAdmissionPolicyBinding',
        cluster: true,
        categories: ['api-extensions'],
        stored: 'admissionregistration.k8s.io/v1',
      },
    ],
  },
  {
    group: 'admissionregistration.k8s.io',
    version: 'v1alpha1',
    types: 'admissionregistration/v1alpha1',
    priority: [16700, 9],
    enabledByDefault: false,
    resources: [
      {
        name: 'mutatingadmissionpolicies',
        kind: 'MutatingAdmissionPolicy',
        cluster: true,
        categories: ['api-extensions'],
      },
      {
        name: 'mutatingadmissionpolicybindings',
        kind: 'MutatingAdmissionPolicyBinding',
        cluster: true,
        categories: ['api-extensions'],
      },
    ],
  },
  {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    types: 'apiextensions/v1',
    priority: [16700, 15],
    resources: [
      {
        name: 'customresourcedefinitions',
        kind: 'CustomResourceDefinition',
        cluster: true,
        short: ['crd', 'crds'],
        categories: ['api-extensions'],
        prefix: 'apiextensions.k8s.io/customresourcedefinitions',
        hashedAs: 'apiextensions.k8s.io/v1beta1',
        sub: [STATUS],
      },
    ],
  },
  {
    group: 'apiregistration.k8s.io',
    version: 'v1',
    types: 'apiregistration/v1',
    priority: [20000, 1],
    resources: [
      {
        name: 'apiservices',
        kind: 'APIService',
        cluster: true,
        categories: ['api-extensions'],
        prefix: 'apiregistration.k8s.io/apiservices',
        sub: [STATUS],
      },
    ],
  },
  {
    group: 'apps',
    version: 'v1',
    types: 'apps/v1',
    priority: [17800, 15],
    resources: [
      { name: 'controllerrevisions', kind: 'ControllerRevision' },
      { name: 'daemonsets', kind: 'DaemonSet', short: ['ds'], categories: ['all'], sub: [STATUS] },
      { name: 'deployments', kind: 'Deployment', short: ['deploy'], categories: ['all'], sub: [SCALE, STATUS] },
      { name: 'replicasets', kind: 'ReplicaSet', short: ['rs'], categories: ['all'], sub: [SCALE, STATUS] },
      { name: 'statefulsets', kind: 'StatefulSet', short: ['sts'], categories: ['all'], sub: [SCALE, STATUS] },
    ],
  },
  {
    group: 'authentication.k8s.io',
    version: 'v1',
    types: 'authentication/v1',
    priority: [17700, 15],
    resources: [
      { name: 'selfsubjectreviews', kind: 'SelfSubjectReview', cluster: true, verbs: CREATE },
      { name: 'tokenreviews', kind: 'TokenReview', cluster: true, verbs: CREATE },
    ],
  },
  {
    group: 'authentication.k8s.io',
    version: 'v1beta1',
    types: 'authentication/v1beta1',
    priority: [17700, 9],
    enabledByDefault: false,
    resources: [{ name: 'selfsubjectreviews', kind: 'SelfSubjectReview', cluster: true, verbs: CREATE }],
  },
  {
    group: 'authorization.k8s.io',
    version: 'v1',
    types: 'authorization/v1',
    priority: [17600, 15],
    resources: [
      { name: 'localsubjectaccessreviews', kind: 'LocalSubjectAccessReview', verbs: CREATE },
      { name: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview', cluster: true, verbs: CREATE },
      { name: 'selfsubjectrulesreviews', kind: 'SelfSubjectRulesReview', cluster: true, verbs: CREATE },
      { name: 'subjectaccessreviews', kind: 'SubjectAccessReview', cluster: true, verbs: CREATE },
    ],
  },
  {
    group: 'autoscaling',
    version: 'v2',
    types: 'autoscaling/v2',
    priority: [17500, 30],
    resources: [
      {
        name: 'horizontalpodautoscalers',
        kind: 'HorizontalPodAutoscaler',
        short: ['hpa'],
        categories: ['all'],
        sub: [STATUS],
      },
    ],
  },
  {
    group: 'autoscaling',
    version: 'v1',
    types: 'autoscaling/v1',
    priority: [17500, 15],
    resources: [
      {
        name: 'horizontalpodautoscalers',
        kind: 'HorizontalPodAutoscaler',
        short: ['hpa'],
        categories: ['all'],
        stored: 'autoscaling/v2',
        sub: [STATUS],
      },
    ],
  },
  {
    group: 'batch',
    version: 'v1',
    types: 'batch/v1',
    priority: [17400, 15],
    resources: [
      { name: 'cronjobs', kind: 'CronJob', short: ['cj'], categories: ['all'], sub: [STATUS] },
      { name: 'jobs', kind: 'Job', categories: ['all'], fields: ['status.successful'], sub: [STATUS] },
    ],
  },
  {
    group: 'certificates.k8s.io',
    version: 'v1',
    types: 'certificates/v1',
    priority: [17300, 15],
    resources: [
      {
        name: 'certificatesigningrequests',
        kind: 'CertificateSigningRequest',
        cluster: true,
        short: ['csr'],
        fields: ['spec.signerName'],
        sub: [{ name: 'approval', verbs: GET_PUT_PATCH }, STATUS],
      },
    ],
  },
  {
    group: 'certificates.k8s.io',
    version: 'v1alpha1',
    types: 'certificates/v1alpha1',
    priority: [17300, 1],
    enabledByDefault: false,
    resources: [
      { name: 'clustertrustbundles', kind: 'ClusterTrustBundle', cluster: true, fields: ['spec.signerName'] },
    ],
  },
  {
    group: 'coordination.k8s.io',
    version: 'v1',
    types: 'coordination/v1',
    priority: [16500, 15],
    resources: [{ name: 'leases', kind: 'Lease' }],
  },
  {
    group: 'coordination.k8s.io',
    version: 'v1alpha2',
    types: 'coordination/v1alpha2',
    priority: [16500, 12],
    enabledByDefault: false,
    resources: [{ name: 'leasecandidates', kind: 'LeaseCandidate' }],
  },
  {
    group: 'discovery.k8s.io',
    version: 'v1',
    types: 'discovery/v1',
    priority: [16200, 15],
    resources: [{ name: 'endpointslices', kind: 'EndpointSlice' }],
  },
  {
    group: 'events.k8s.io',
    version: 'v1',
    types: 'events/v1',
    priority: [17750, 15],
    resources: [
      {
        name: 'events',
        kind: 'Event',
        short: ['ev'],
        stored: 'v1',
        fields: [...referenceFields('regarding'), 'reason', 'reportingController', 'type'],
      },
    ],
  },
  {
    group: 'flowcontrol.apiserver.k8s.io',
    version: 'v1',
    types: 'flowcontrol/v1',
    priority: [16100, 21],
    resources: [
      { name: 'flowschemas', kind: 'FlowSchema', cluster: true, sub: [STATUS] },
      { name: 'prioritylevelconfigurations', kind: 'PriorityLevelConfiguration', cluster: true, sub: [STATUS] },
    ],
  },
  {
    group: 'internal.apiserver.k8s.io',
    version: 'v1alpha1',
    types: 'apiserverinternal/v1alpha1',
    priority: [16000, 9],
    enabledByDefault: false,
    resources: [{ name: 'storageversions', kind: 'StorageVersion', cluster: true, sub: [STATUS] }],
  },
  {
    group: 'networking.k8s.io',
    version: 'v1',
    types: 'networking/v1',
    priority: [17200, 15],
    resources: [
      { name: 'ingressclasses', kind: 'IngressClass', cluster: true },
      { name: 'ingresses', kind: 'Ingress', short: ['ing'], prefix: 'ingress', sub: [STATUS] },
      { name: 'networkpolicies', kind: 'NetworkPolicy', short: ['netpol'] },
    ],
  },
  {
    group: 'networking.k8s.io',
    version: 'v1beta1',
    types: 'networking/v1beta1',
    priority: [17200, 9],
    enabledByDefault: false,
    resources: [
      { name: 'ipaddresses', kind: 'IPAddress', cluster: true, short: ['ip'] },
      { name: 'servicecidrs', kind: 'ServiceCIDR', cluster: true, sub: [STATUS] },
    ],
  },
  {
    group: 'node.k8s.io',
    version: 'v1',
    types: 'node/v1',
    priority: [16300, 15],
    resources: [{ name: 'runtimeclasses', kind: 'RuntimeClass', cluster: true }],
  },
  {
    group: 'policy',
    version: 'v1',
    types: 'policy/v1',
    priority: [17100, 15],
    resources: [{ name: 'poddisruptionbudgets', kind: 'PodDisruptionBudget', short: ['pdb'], sub: [STATUS] }],
  },
  {
    group: 'rbac.authorization.k8s.io',
    version: 'v1',
    types: 'rbac/v1',
    priority: [17000, 15],
    resources: [
      { name: 'clusterrolebindings', kind: 'ClusterRoleBinding', cluster: true },
      { name: 'clusterroles', kind: 'ClusterRole', cluster: true },
      { name: 'rolebindings', kind: 'RoleBinding' },
      { name: 'roles', kind: 'Role' },
    ],
  },
  {
    group: 'resource.k8s.io',
    version: 'v1beta1',
    types: 'resource/v1beta1',
    priority: [16200, 9],
    enabledByDefault: false,
    resources: [
      { name: 'deviceclasses', kind: 'DeviceClass', cluster: true, returnsDeleted: true },
      { name: 'resourceclaims', kind: 'ResourceClaim', returnsDeleted: true, sub: [STATUS] },
      { name: 'resourceclaimtemplates', kind: 'ResourceClaimTemplate', returnsDeleted: true },
      {
        name: 'resourceslices',
        kind: 'ResourceSlice',
        cluster: true,
        returnsDeleted: true,
        fields: ['spec.driver', 'spec.nodeName'],
      },
    ],
  },
  {
    group: 'resource.k8s.io',
    version: 'v1alpha3',
    types: 'resource/v1alpha3',
    priority: [16200, 1],
    enabledByDefault: false,
    resources: [
      {
        name: 'deviceclasses',
        kind: 'DeviceClass',
        cluster: true,
        returnsDeleted: true,
        stored: 'resource.k8s.io/v1beta1',
      },
      {
        name: 'resourceclaims',
        kind: 'ResourceClaim',
        returnsDeleted: true,
        stored: 'resource.k8s.io/v1beta1',
        sub: [STATUS],
      },
      {
        name: 'resourceclaimtemplates',
        kind: 'ResourceClaimTemplate',
        returnsDeleted: true,
        stored: 'resource.k8s.io/v1beta1',
      },
      {
        name: 'resourceslices',
        kind: 'ResourceSlice',
        cluster: true,
        returnsDeleted: true,
        stored: 'resource.k8s.io/v1beta1',
        fields: ['spec.driver', 'spec.nodeName'],
      },
    ],
  },
  {
    group: 'scheduling.k8s.io',
    version: 'v1',
    types: 'scheduling/v1',
    priority: [16600, 15],
    resources: [{ name: 'priorityclasses', kind: 'PriorityClass', cluster: true, short: ['pc'] }],
  },
  {
    group: 'storage.k8s.io',
    version: 'v1',
    types: 'storage/v1',
    priority: [16800, 15],
    resources: [
      { name: 'csidrivers', kind: 'CSIDriver', cluster: true, returnsDeleted: true },
      { name: 'csinodes', kind: 'CSINode', cluster: true, returnsDeleted: true },
      { name: 'csistoragecapacities', kind: 'CSIStorageCapacity' },
      { name: 'storageclasses', kind: 'StorageClass', cluster: true, returnsDeleted: true, short: ['sc'] },
      { name: 'volumeattachments', kind: 'VolumeAttachment', cluster: true, returnsDeleted: true, sub: [STATUS] },
    ],
  },
  {
    group: 'storage.k8s.io',
    version: 'v1beta1',
    types: 'storage/v1beta1',
    priority: [16800, 9],
    enabledByDefault: false,
    resources: [
      {
        name: 'volumeattributesclasses',
        kind: 'VolumeAttributesClass',
        cluster: true,
        returnsDeleted: true,
        short: ['vac'],
      },
    ],
  },
  {
    group: 'storage.k8s.io',
    version: 'v1alpha1',
    types: 'storage/v1alpha1',
    priority: [16800, 1],
    enabledByDefault: false,
    resources: [
      {
        name: 'volumeattributesclasses',
        kind: 'VolumeAttributesClass',
        cluster: true,
        returnsDeleted: true,
        short: ['vac'],
        stored: 'storage.k8s.io/v1beta1',
      },
    ],
  },
  {
    group: 'storagemigration.k8s.io',
    version: 'v1alpha1',
    types: 'storagemigration/v1alpha1',
    priority: [15800, 9],
    enabledByDefault: false,
    resources: [{ name: 'storageversionmigrations', kind: 'StorageVersionMigration', cluster: true, sub: [STATUS] }],
  },
];
