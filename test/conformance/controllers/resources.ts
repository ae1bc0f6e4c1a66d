/** Where the resources are served that the recordings show. */
export interface ResourcePlace {
  readonly prefix: string;
  readonly namespaced: boolean;
}

const groups: Readonly<Record<string, readonly [namespaced: readonly string[], cluster: readonly string[]]>> = {
  '/api/v1': [
    [
      'pods',
      'persistentvolumeclaims',
      'events',
      'services',
      'endpoints',
      'configmaps',
      'secrets',
      'serviceaccounts',
      'resourcequotas',
      'replicationcontrollers',
    ],
    ['nodes', 'persistentvolumes', 'namespaces'],
  ],
  '/apis/apps/v1': [['deployments', 'replicasets', 'statefulsets', 'daemonsets', 'controllerrevisions'], []],
  '/apis/batch/v1': [['jobs', 'cronjobs'], []],
  '/apis/autoscaling/v2': [['horizontalpodautoscalers'], []],
  '/apis/policy/v1': [['poddisruptionbudgets'], []],
  '/apis/discovery.k8s.io/v1': [['endpointslices'], []],
  '/apis/certificates.k8s.io/v1': [[], ['certificatesigningrequests']],
  '/apis/rbac.authorization.k8s.io/v1': [[], ['clusterroles']],
  '/apis/storage.k8s.io/v1': [[], ['storageclasses', 'volumeattachments']],
  '/apis/admissionregistration.k8s.io/v1': [[], ['validatingadmissionpolicies']],
};

const places = new Map<string, ResourcePlace>(
  Object.entries(groups).flatMap(([prefix, [namespaced, cluster]]) => [
    ...namespaced.map((resource) => [resource, { prefix, namespaced: true }] as const),
    ...cluster.map((resource) => [resource, { prefix, namespaced: false }] as const),
  ]),
);

export function placeOf(resource: string): ResourcePlace {
  const place = places.get(resource);
  if (place === undefined) throw new Error(`resources.ts has no row for ${resource}, which the recordings show`);
  return place;
}

/** @param namespace undefined for all of them, and for resources without namespaces */
export function pathOf(resource: string, namespace?: string): string {
  const { prefix, namespaced } = placeOf(resource);
  return namespaced && namespace !== undefined
    ? `${prefix}/namespaces/${namespace}/${resource}`
    : `${prefix}/${resource}`;
}
