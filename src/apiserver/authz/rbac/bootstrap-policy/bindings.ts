/** The subjects of each role. A subject is `User/name`, `Group/name` or `ServiceAccount/namespace/name`. */
export interface Binding {
  /** `ClusterRole/name` or `Role/name`. */
  readonly role: string;
  readonly subjects: readonly string[];
}

export const clusterBindings: Readonly<Record<string, Binding>> = {
  'cluster-admin': { role: 'ClusterRole/cluster-admin', subjects: ['Group/system:masters'] },
  'system:basic-user': { role: 'ClusterRole/system:basic-user', subjects: ['Group/system:authenticated'] },
  'system:discovery': { role: 'ClusterRole/system:discovery', subjects: ['Group/system:authenticated'] },
  'system:kube-controller-manager': {
    role: 'ClusterRole/system:kube-controller-manager',
    subjects: ['User/system:kube-controller-manager'],
  },
  'system:kube-dns': { role: 'ClusterRole/system:kube-dns', subjects: ['ServiceAccount/kube-system/kube-dns'] },
  'system:kube-scheduler': { role: 'ClusterRole/system:kube-scheduler', subjects: ['User/system:kube-scheduler'] },
  'system:monitoring': { role: 'ClusterRole/system:monitoring', subjects: ['Group/system:monitoring'] },
  'system:node': { role: 'ClusterRole/system:node', subjects: [] },
  'system:node-proxier': { role: 'ClusterRole/system:node-proxier', subjects: ['User/system:kube-proxy'] },
  'system:public-info-viewer': {
    role: 'ClusterRole/system:public-info-viewer',
    subjects: ['Group/system:authenticated', 'Group/system:unauthenticated'],
  },
  'system:service-account-issuer-discovery': {
    role: 'ClusterRole/system:service-account-issuer-discovery',
    subjects: ['Group/system:serviceaccounts'],
  },
  'system:volume-scheduler': { role: 'ClusterRole/system:volume-scheduler', subjects: ['User/system:kube-scheduler'] },
};

/** By namespace and name. */
export const namespacedBindings: Readonly<Record<string, Binding>> = {
  'kube-public/system:controller:bootstrap-signer': {
    role: 'Role/system:controller:bootstrap-signer',
    subjects: ['ServiceAccount/kube-system/bootstrap-signer'],
  },
  'kube-system/system::extension-apiserver-authentication-reader': {
    role: 'Role/extension-apiserver-authentication-reader',
    subjects: ['User/system:kube-controller-manager', 'User/system:kube-scheduler'],
  },
  'kube-system/system::leader-locking-kube-controller-manager': {
    role: 'Role/system::leader-locking-kube-controller-manager',
    subjects: [
      'User/system:kube-controller-manager',
      'ServiceAccount/kube-system/kube-controller-manager',
      'ServiceAccount/kube-system/leader-election-controller',
    ],
  },
  'kube-system/system::leader-locking-kube-scheduler': {
    role: 'Role/system::leader-locking-kube-scheduler',
    subjects: ['User/system:kube-scheduler', 'ServiceAccount/kube-system/kube-scheduler'],
  },
  'kube-system/system:controller:bootstrap-signer': {
    role: 'Role/system:controller:bootstrap-signer',
    subjects: ['ServiceAccount/kube-system/bootstrap-signer'],
  },
  'kube-system/system:controller:cloud-provider': {
    role: 'Role/system:controller:cloud-provider',
    subjects: ['ServiceAccount/kube-system/cloud-provider'],
  },
  'kube-system/system:controller:token-cleaner': {
    role: 'Role/system:controller:token-cleaner',
    subjects: ['ServiceAccount/kube-system/token-cleaner'],
  },
  'orch-system/system::leader-locking-controller-manager': {
    role: 'Role/system::leader-locking-controller-manager',
    subjects: ['User/system:kube-controller-manager'],
  },
  'orch-system/system::leader-locking-scheduler': {
    role: 'Role/system::leader-locking-scheduler',
    subjects: ['User/system:kube-scheduler'],
  },
};
