/**
 * Columns of the tables that the server prints, per kind: one set serves all versions of a kind. How cells are made
 * lies elsewhere; every row has a cell for every column, clients leave out what has a priority above 0 unless asked for
 * more.
 *
 * @see {@link https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables | Resources as
 *   tables}
 */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  /** `name` marks the column with the object's name. */
  readonly format: '' | 'name';
  readonly description: string;
  readonly priority: number;
}

const column = (type: Column['type'], name: string, description: string): Column => ({
  name,
  type,
  format: '',
  description,
  priority: 0,
});
const text = (name: string, description: string): Column => column('string', name, description);
const integer = (name: string, description: string): Column => column('integer', name, description);
const boolean = (name: string, description: string): Column => column('boolean', name, description);
const date = (name: string, description: string): Column => column('date', name, description);
const wide = (shown: Column): Column => ({ ...shown, priority: 1 });

const NAME: Column = {
  ...text('Name', 'Name of the object; no other of its kind in the namespace has it.'),
  format: 'name',
};
const AGE = text('Age', 'Time since the object was created.');

/** For kinds that are not listed here. */
export const DEFAULT_COLUMNS: readonly Column[] = [NAME, date('Created At', 'When the object was created.')];

/** For custom resources whose definition names no columns. */
export const CUSTOM_RESOURCE_COLUMNS: readonly Column[] = [NAME, date('Age', AGE.description)];

/** The first column of every custom resource. */
export const NAME_COLUMN = NAME;

/** By `group/Kind`; the core group is empty. */
const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  '/ComponentStatus': [
    NAME,
    text('Status', 'Whether the component is healthy.'),
    text('Message', 'What the health check said.'),
    text('Error', 'Why the health check failed.'),
  ],
  '/ConfigMap': [NAME, text('Data', 'How many keys the config map has.'), AGE],
  '/Endpoints': [NAME, text('Endpoints', 'The first addresses with their ports.'), AGE],
  '/Event': [
    text('Last Seen', 'Time since the event last occurred.'),
    text('Type', 'Normal or Warning.'),
    text('Reason', 'Short machine-readable cause.'),
    text('Object', 'Object the event is about.'),
    wide(text('Subobject', 'Part of the object the event is about.')),
    wide(text('Source', 'Component that reported the event.')),
    text('Message', 'What happened, for people.'),
    wide(text('First Seen', 'Time since the event first occurred.')),
    wide(text('Count', 'How often the event occurred.')),
    wide(NAME),
  ],
  '/Namespace': [NAME, text('Status', 'Active or Terminating.'), AGE],
  '/Node': [
    NAME,
    text('Status', 'Whether the node is ready, and whether it takes new pods.'),
    text('Roles', 'Roles that the labels of the node name.'),
    AGE,
    text('Version', 'Version of the node agent.'),
    wide(text('Internal-IP', 'First address within the cluster.')),
    wide(text('External-IP', 'First address reachable from outside.')),
    wide(text('OS-Image', 'Operating system that the node reports.')),
    wide(text('Kernel-Version', 'Kernel that the node reports.')),
    wide(text('Container-Runtime', 'Container runtime and its version.')),
  ],
  '/PersistentVolume': [
    NAME,
    text('Capacity', 'Storage that the volume provides.'),
    text('Access Modes', 'Ways in which the volume can be mounted: RWO, ROX, RWX, RWOP.'),
    text('Reclaim Policy', 'What happens to the volume when its claim is gone.'),
    text('Status', 'Where the volume is in its life.'),
    text('Claim', 'Claim the volume is bound to.'),
    text('StorageClass', 'Storage class the volume comes from.'),
    text('VolumeAttributesClass', 'Class of adjustable attributes of the volume.'),
    text('Reason', 'Why the volume is in this state.'),
    AGE,
    wide(text('VolumeMode', 'Whether the volume is a file system or a block device.')),
  ],
  '/PersistentVolumeClaim': [
    NAME,
    text('Status', 'Where the claim is in its life.'),
    text('Volume', 'Volume the claim is bound to.'),
    text('Capacity', 'Storage that the volume provides.'),
    text('Access Modes', 'Ways in which the volume can be mounted: RWO, ROX, RWX, RWOP.'),
    text('StorageClass', 'Storage class the volume comes from.'),
    text('VolumeAttributesClass', 'Class of adjustable attributes of the volume.'),
    AGE,
    wide(text('VolumeMode', 'Whether the volume is a file system or a block device.')),
  ],
  '/Pod': [
    NAME,
    text('Ready', 'Containers that are ready, of all.'),
    text('Status', 'Phase of the pod, or what keeps it from running.'),
    text('Restarts', 'How often containers were restarted, and when last.'),
    AGE,
    wide(text('IP', 'First address of the pod.')),
    wide(text('Node', 'Node the pod runs on.')),
    wide(text('Nominated Node', 'Node on which capacity is being freed for the pod.')),
    wide(text('Readiness Gates', 'Readiness gates that are true, of those declared.')),
  ],
  '/PodTemplate': [
    NAME,
    text('Containers', 'Names of the containers in the pod template.'),
    text('Images', 'Images of the containers in the pod template.'),
    text('Pod Labels', 'Labels that pods made from the template get.'),
  ],
  '/ReplicationController': [
    NAME,
    integer('Desired', 'How many pods are wanted.'),
    integer('Current', 'How many pods exist.'),
    integer('Ready', 'How many pods are ready.'),
    AGE,
    wide(text('Containers', 'Names of the containers in the pod template.')),
    wide(text('Images', 'Images of the containers in the pod template.')),
    wide(text('Selector', 'Labels that the pods carry.')),
  ],
  '/ResourceQuota': [
    NAME,
    AGE,
    text('Request', 'Use and bound of each request and object count.'),
    text('Limit', 'Use and bound of each limit.'),
  ],
  '/Secret': [NAME, text('Type', 'What the secret is for.'), text('Data', 'How many keys the secret has.'), AGE],
  '/Service': [
    NAME,
    text('Type', 'How the service is exposed.'),
    text('Cluster-IP', 'Address within the cluster.'),
    text('External-IP', 'Addresses reachable from outside.'),
    text('Port(s)', 'Ports, node ports and protocols.'),
    AGE,
    wide(text('Selector', 'Labels of the pods that serve.')),
  ],
  '/ServiceAccount': [NAME, text('Secrets', 'How many secrets the account names.'), AGE],
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': [
    NAME,
    integer('Mutations', 'How many mutations the policy has.'),
    text('ParamKind', 'Kind of the object that parameterizes the policy.'),
    AGE,
  ],
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': [
    NAME,
    text('PolicyName', 'Policy that is bound.'),
    text('ParamRef', 'Object, or selector of objects, that parameterizes the policy.'),
    AGE,
  ],
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': [
    NAME,
    integer('Webhooks', 'How many webhooks are configured.'),
    AGE,
  ],
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': [
    NAME,
    integer('Validations', 'How many validations the policy has.'),
    text('ParamKind', 'Kind of the object that parameterizes the policy.'),
    AGE,
  ],
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': [
    NAME,
    text('PolicyName', 'Policy that is bound.'),
    text('ParamRef', 'Object, or selector of objects, that parameterizes the policy.'),
    AGE,
  ],
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': [
    NAME,
    integer('Webhooks', 'How many webhooks are configured.'),
    AGE,
  ],
  'apiregistration.k8s.io/APIService': [
    NAME,
    text('Service', 'Service that serves the version, or Local.'),
    text('Available', 'Whether the version can be reached.'),
    AGE,
  ],
  'apps/ControllerRevision': [
    NAME,
    text('Controller', 'Controller that owns the revision.'),
    text('Revision', 'Number of the revision.'),
    AGE,
  ],
  'apps/DaemonSet': [
    NAME,
    integer('Desired', 'How many nodes should run the pod.'),
    integer('Current', 'How many nodes run the pod and should.'),
    integer('Ready', 'How many nodes run a ready pod.'),
    integer('Up-to-date', 'How many nodes run the current template.'),
    integer('Available', 'How many nodes run a pod that has been ready for the minimum time.'),
    text('Node Selector', 'Labels of the nodes that run the pod.'),
    AGE,
    wide(text('Containers', 'Names of the containers in the pod template.')),
    wide(text('Images', 'Images of the containers in the pod template.')),
    wide(text('Selector', 'Labels that the pods carry.')),
  ],
  'apps/Deployment': [
    NAME,
    text('Ready', 'Ready pods, of those wanted.'),
    text('Up-to-date', 'How many pods have the current template.'),
    text('Available', 'How many pods have been ready for the minimum time.'),
    AGE,
    wide(text('Containers', 'Names of the containers in the pod template.')),
    wide(text('Images', 'Images of the containers in the pod template.')),
    wide(text('Selector', 'Labels that the pods carry.')),
  ],
  'apps/ReplicaSet': [
    NAME,
    integer('Desired', 'How many pods are wanted.'),
    integer('Current', 'How many pods exist.'),
    integer('Ready', 'How many pods are ready.'),
    AGE,
    wide(text('Containers', 'Names of the containers in the pod template.')),
    wide(text('Images', 'Images of the containers in the pod template.')),
    wide(text('Selector', 'Labels that the pods carry.')),
  ],
  'apps/StatefulSet': [
    NAME,
    text('Ready', 'Ready pods, of those wanted.'),
    AGE,
    wide(text('Containers', 'Names of the containers in the pod template.')),
    wide(text('Images', 'Images of the containers in the pod template.')),
  ],
  'autoscaling/HorizontalPodAutoscaler': [
    NAME,
    text('Reference', 'Object that is scaled.'),
    text('Targets', 'Current and target value of each metric.'),
    text('MinPods', 'Fewest pods allowed.'),
    text('MaxPods', 'Most pods allowed.'),
    text('Replicas', 'How many pods exist.'),
    AGE,
  ],
  'autoscaling/Scale': [
    text('Name', NAME.description),
    integer('Desired', 'How many pods are wanted.'),
    integer('Available', 'How many pods exist.'),
    AGE,
  ],
  'batch/CronJob': [
    NAME,
    text('Schedule', 'When jobs start, in cron syntax.'),
    text('Timezone', 'Time zone of the schedule.'),
    boolean('Suspend', 'Whether no new jobs start.'),
    integer('Active', 'How many jobs are running.'),
    text('Last Schedule', 'Time since a job was last started.'),
    AGE,
    wide(text('Containers', 'Names of the containers in the pod template.')),
    wide(text('Images', 'Images of the containers in the pod template.')),
    wide(text('Selector', 'Labels that the pods of the jobs carry.')),
  ],
  'batch/Job': [
    NAME,
    text('Status', 'Where the job is in its life.'),
    text('Completions', 'Pods that succeeded, of those needed.'),
    text('Duration', 'Time from start to end, or to now.'),
    AGE,
    wide(text('Containers', 'Names of the containers in the pod template.')),
    wide(text('Images', 'Images of the containers in the pod template.')),
    wide(text('Selector', 'Labels that the pods carry.')),
  ],
  'certificates.k8s.io/CertificateSigningRequest': [
    NAME,
    AGE,
    text('SignerName', 'Signer that the certificate is asked from.'),
    text('Requestor', 'User who made the request.'),
    text('RequestedDuration', 'How long the certificate should be valid.'),
    text('Condition', 'Whether the request is approved and the certificate issued.'),
  ],
  'certificates.k8s.io/ClusterTrustBundle': [NAME, text('SignerName', 'Signer whose roots these are.')],
  'coordination.k8s.io/Lease': [NAME, text('Holder', 'Holder of the lease.'), AGE],
  'coordination.k8s.io/LeaseCandidate': [
    NAME,
    text('LeaseName', 'Lease the candidate wants to hold.'),
    text('BinaryVersion', 'Version of the candidate.'),
    text('EmulationVersion', 'Version the candidate behaves as.'),
    AGE,
  ],
  'discovery.k8s.io/EndpointSlice': [
    NAME,
    text('AddressType', 'IPv4, IPv6 or FQDN.'),
    text('Ports', 'The first ports.'),
    text('Endpoints', 'The first addresses.'),
    AGE,
  ],
  'flowcontrol.apiserver.k8s.io/FlowSchema': [
    NAME,
    text('PriorityLevel', 'Priority level that requests of the schema go to.'),
    text('MatchingPrecedence', 'Order in which schemas are tried; the lowest match wins.'),
    text('DistinguisherMethod', 'What tells the flows of the schema apart.'),
    AGE,
    text('MissingPL', 'Whether the priority level does not exist.'),
  ],
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration': [
    NAME,
    text('Type', 'Limited or Exempt.'),
    text('NominalConcurrencyShares', 'Share of the concurrency that the level gets.'),
    text('Queues', 'How many queues the level has.'),
    text('HandSize', 'How many queues a flow is dealt.'),
    text('QueueLengthLimit', 'How many requests a queue holds.'),
    AGE,
  ],
  'internal.apiserver.k8s.io/StorageVersion': [
    NAME,
    text('CommonEncodingVersion', 'Version all servers store, once they agree.'),
    text('StorageVersions', 'Version each server stores.'),
    AGE,
  ],
  'meta/Status': [
    text('Status', 'Success or Failure.'),
    text('Reason', 'Short machine-readable cause.'),
    text('Message', 'What happened, for people.'),
  ],
  'networking.k8s.io/IPAddress': [NAME, text('ParentRef', 'Object the address belongs to.')],
  'networking.k8s.io/Ingress': [
    NAME,
    text('Class', 'Class that implements the ingress.'),
    text('Hosts', 'Hosts that the rules name.'),
    text('Address', 'Where the load balancer listens.'),
    text('Ports', 'Ports the load balancer listens on.'),
    AGE,
  ],
  'networking.k8s.io/IngressClass': [
    NAME,
    text('Controller', 'Controller that implements the class.'),
    text('Parameters', 'Object with the parameters of the controller.'),
    AGE,
  ],
  'networking.k8s.io/NetworkPolicy': [NAME, text('Pod-Selector', 'Pods the policy applies to.'), AGE],
  'networking.k8s.io/ServiceCIDR': [NAME, text('CIDRs', 'Address ranges for services.'), AGE],
  'node.k8s.io/RuntimeClass': [NAME, text('Handler', 'Configuration of the container runtime that is used.'), AGE],
  'policy/PodDisruptionBudget': [
    NAME,
    text('Min Available', 'Pods that must stay available.'),
    text('Max Unavailable', 'Pods that may be unavailable.'),
    integer('Allowed Disruptions', 'How many pods may be evicted now.'),
    AGE,
  ],
  'rbac.authorization.k8s.io/ClusterRoleBinding': [
    NAME,
    text('Role', 'Role that is granted.'),
    AGE,
    wide(text('Users', 'Users the role is granted to.')),
    wide(text('Groups', 'Groups the role is granted to.')),
    wide(text('ServiceAccounts', 'Service accounts the role is granted to.')),
  ],
  'rbac.authorization.k8s.io/RoleBinding': [
    NAME,
    text('Role', 'Role that is granted.'),
    AGE,
    wide(text('Users', 'Users the role is granted to.')),
    wide(text('Groups', 'Groups the role is granted to.')),
    wide(text('ServiceAccounts', 'Service accounts the role is granted to.')),
  ],
  'resource.k8s.io/DeviceClass': [NAME, AGE],
  'resource.k8s.io/ResourceClaim': [
    NAME,
    text('State', 'Whether the claim is allocated, reserved or being deleted.'),
    AGE,
  ],
  'resource.k8s.io/ResourceClaimTemplate': [NAME, AGE],
  'resource.k8s.io/ResourceSlice': [
    NAME,
    text('Node', 'Node that has the devices.'),
    text('Driver', 'Driver that offers the devices.'),
    text('Pool', 'Pool the devices belong to.'),
    AGE,
  ],
  'scheduling.k8s.io/PriorityClass': [
    NAME,
    integer('Value', 'Priority of pods of the class; higher goes first.'),
    boolean('Global-Default', 'Whether pods that name no class get this one.'),
    AGE,
    text('PreemptionPolicy', 'Whether pods of the class may displace others.'),
  ],
  'storage.k8s.io/CSIDriver': [
    NAME,
    boolean('AttachRequired', 'Whether volumes must be attached before they are mounted.'),
    boolean('PodInfoOnMount', 'Whether the driver is told about the pod when mounting.'),
    boolean('StorageCapacity', 'Whether scheduling looks at the capacity the driver reports.'),
    text('TokenRequests', 'Audiences of the tokens that the driver gets.'),
    boolean('RequiresRepublish', 'Whether volumes are published again from time to time.'),
    text('Modes', 'Whether volumes are persistent, ephemeral or both.'),
    AGE,
  ],
  'storage.k8s.io/CSINode': [NAME, integer('Drivers', 'How many drivers the node has.'), AGE],
  'storage.k8s.io/StorageClass': [
    NAME,
    text('Provisioner', 'Driver that creates the volumes.'),
    text('ReclaimPolicy', 'What happens to a volume when its claim is gone.'),
    text('VolumeBindingMode', 'Whether volumes are made at once or for the first pod.'),
    text('AllowVolumeExpansion', 'Whether claims can grow.'),
    AGE,
  ],
  'storage.k8s.io/VolumeAttachment': [
    NAME,
    { ...text('Attacher', 'Driver that attaches the volume.'), format: 'name' },
    text('PV', 'Volume to attach.'),
    text('Node', 'Node to attach to.'),
    boolean('Attached', 'Whether the volume is attached.'),
    AGE,
  ],
  'storage.k8s.io/VolumeAttributesClass': [NAME, text('DriverName', 'Driver that understands the attributes.'), AGE],
  'storagemigration.k8s.io/StorageVersionMigration': [
    text('Name', NAME.description),
    text('Resource', 'Resource whose objects are written anew.'),
  ],
};

/** Columns of a built-in kind; {@link DEFAULT_COLUMNS} where it has none of its own. */
export const columnsOf = (group: string, kind: string): readonly Column[] =>
  COLUMNS[`${group}/${kind}`] ?? DEFAULT_COLUMNS;
