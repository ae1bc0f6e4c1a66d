/** Roles within a namespace, by namespace and name. */
import { on, type RuleTable, writesEvents } from './rules.ts';

const locksIn = on('coordination.k8s.io', 'leases', 'create,get,list,update,watch');

export const namespacedRoles: RuleTable = {
  'kube-public/system:controller:bootstrap-signer': [
    on('', 'configmaps', 'get,list,watch'),
    on('', 'configmaps', 'update', 'cluster-info'),
    writesEvents,
  ],
  'kube-system/extension-apiserver-authentication-reader': [
    on('', 'configmaps', 'get,list,watch', 'extension-apiserver-authentication'),
  ],
  'kube-system/system::leader-locking-kube-controller-manager': [
    on('', 'configmaps', 'watch'),
    on('', 'configmaps', 'get,update', 'kube-controller-manager'),
    on('coordination.k8s.io', 'leases', 'create,get,list,update,watch'),
    on('coordination.k8s.io', 'leasecandidates', 'create,get,list,update,watch'),
  ],
  'kube-system/system::leader-locking-kube-scheduler': [
    on('', 'configmaps', 'watch'),
    on('', 'configmaps', 'get,update', 'kube-scheduler'),
    on('coordination.k8s.io', 'leases', 'create,get,list,update,watch'),
    on('coordination.k8s.io', 'leasecandidates', 'create,get,list,update,watch'),
  ],
  'kube-system/system:controller:bootstrap-signer': [on('', 'secrets', 'get,list,watch')],
  'kube-system/system:controller:cloud-provider': [on('', 'configmaps', 'create,get,list,watch')],
  'kube-system/system:controller:token-cleaner': [on('', 'secrets', 'delete,get,list,watch'), writesEvents],
  // The locks that orch's own daemons have unless they run in the place of the originals.
  'orch-system/system::leader-locking-controller-manager': [locksIn],
  'orch-system/system::leader-locking-scheduler': [locksIn],
};
