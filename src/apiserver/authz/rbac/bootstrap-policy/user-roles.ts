/** Roles for users, and for clients that read discovery. */
import { on, onPaths, type RuleTable } from './rules.ts';

export const userRoles: RuleTable = {
  'cluster-admin': [on('*', '*', '*'), onPaths('*', '*')],
  'system:aggregate-to-admin': [
    on('authorization.k8s.io', 'localsubjectaccessreviews', 'create'),
    on('rbac.authorization.k8s.io', 'rolebindings,roles', 'create,delete,deletecollection,get,list,patch,update,watch'),
  ],
  'system:aggregate-to-edit': [
    on('', 'pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy', 'get,list,watch'),
    on('', 'serviceaccounts', 'impersonate'),
    on('', 'pods,pods/attach,pods/exec,pods/portforward,pods/proxy', 'create,delete,deletecollection,patch,update'),
    on('', 'pods/eviction', 'create'),
    on(
      '',
      'configmaps,events,persistentvolumeclaims,replicationcontrollers,replicationcontrollers/scale,secrets,' +
        'serviceaccounts,services,services/proxy',
      'create,delete,deletecollection,patch,update',
    ),
    on('', 'serviceaccounts/token', 'create'),
    on(
      'apps',
      'daemonsets,deployments,deployments/rollback,deployments/scale,replicasets,replicasets/scale,' +
        'statefulsets,statefulsets/scale',
      'create,delete,deletecollection,patch,update',
    ),
    on('autoscaling', 'horizontalpodautoscalers', 'create,delete,deletecollection,patch,update'),
    on('batch', 'cronjobs,jobs', 'create,delete,deletecollection,patch,update'),
    on(
      'extensions',
      'daemonsets,deployments,deployments/rollback,deployments/scale,ingresses,networkpolicies,replicasets,' +
        'replicasets/scale,replicationcontrollers/scale',
      'create,delete,deletecollection,patch,update',
    ),
    on('policy', 'poddisruptionbudgets', 'create,delete,deletecollection,patch,update'),
    on('networking.k8s.io', 'ingresses,networkpolicies', 'create,delete,deletecollection,patch,update'),
    on('coordination.k8s.io', 'leases', 'create,delete,deletecollection,get,list,patch,update,watch'),
  ],
  'system:aggregate-to-view': [
    on(
      '',
      'configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,replicationcontrollers,' +
        'replicationcontrollers/scale,serviceaccounts,services,services/status',
      'get,list,watch',
    ),
    on(
      '',
      'bindings,events,limitranges,namespaces/status,pods/log,pods/status,replicationcontrollers/status,' +
        'resourcequotas,resourcequotas/status',
      'get,list,watch',
    ),
    on('', 'namespaces', 'get,list,watch'),
    on('discovery.k8s.io', 'endpointslices', 'get,list,watch'),
    on(
      'apps',
      'controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,' +
        'replicasets,replicasets/scale,replicasets/status,statefulsets,statefulsets/scale,statefulsets/status',
      'get,list,watch',
    ),
    on('autoscaling', 'horizontalpodautoscalers,horizontalpodautoscalers/status', 'get,list,watch'),
    on('batch', 'cronjobs,cronjobs/status,jobs,jobs/status', 'get,list,watch'),
    on(
      'extensions',
      'daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,ingresses,' +
        'ingresses/status,networkpolicies,replicasets,replicasets/scale,replicasets/status,' +
        'replicationcontrollers/scale',
      'get,list,watch',
    ),
    on('policy', 'poddisruptionbudgets,poddisruptionbudgets/status', 'get,list,watch'),
    on('networking.k8s.io', 'ingresses,ingresses/status,networkpolicies', 'get,list,watch'),
  ],
  'system:basic-user': [
    on('authorization.k8s.io', 'selfsubjectaccessreviews,selfsubjectrulesreviews', 'create'),
    on('authentication.k8s.io', 'selfsubjectreviews', 'create'),
  ],
  'system:discovery': [
    onPaths('get', '/api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,/version/'),
  ],
  'system:monitoring': [onPaths('get', '/healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/*')],
  'system:public-info-viewer': [onPaths('get', '/healthz,/livez,/readyz,/version,/version/')],
  'system:service-account-issuer-discovery': [
    onPaths(
      'get',
      '/.well-known/openid-configuration,/.well-known/openid-configuration/,/openid/v1/jwks,/openid/v1/jwks/',
    ),
  ],
};
