/**
 * Keeps nodes to themselves: authorization lets a node write nodes, pods and leases, and this plugin sees that they are
 * its own.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#noderestriction |
 *   NodeRestriction}
 */
import type { TokenRequest } from '../../api/gen/types/authentication-v1.ts';
import type { CertificateSigningRequest } from '../../api/gen/types/certificates-v1.ts';
import type { Node, PersistentVolumeClaim, Pod } from '../../api/gen/types/core-v1.ts';
import { requestSubject } from '../../pki/request-subject.ts';
import { isEqual } from '../../machinery/equal.ts';
import { goQuote } from '../../machinery/go-quote.ts';
import { notFound } from '../../machinery/status.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/admission.ts';
import { nodeOf } from '../authz/node/identity.ts';
import { refused } from './attributes.ts';
import { checkMirrorPod } from './mirror-pod.ts';
import { forbiddenChanges } from '../../api/core/nodes/own-labels.ts';
import type { CachedObjects } from '../loopback/cached-objects.ts';

/** What a node may do with one resource. Throws what refuses it. */
type Check = (node: string, attributes: AdmissionAttributes, objects: CachedObjects) => Promise<void> | void;

export const createNodeRestriction = ({ objects }: { readonly objects: CachedObjects }): AdmissionPlugin => ({
  name: 'NodeRestriction',
  handles: (operation) => operation !== 'CONNECT',
  admit(attributes) {
    const { user, resource } = attributes;
    const node = nodeOf(user);
    if (node === undefined) return undefined;
    if (node === '') throw refused(attributes, `could not determine node from user ${goQuote(user.name)}`);
    const key = `${resource.group}/${resource.resource}`;
    return Object.hasOwn(checks, key) ? checks[key]!(node, attributes, objects) : undefined;
  },
});

const nodeNameOf = (object: object | undefined): string =>
  (object as { spec?: { nodeName?: string } } | undefined)?.spec?.nodeName ?? '';

async function existingPod(attributes: AdmissionAttributes, objects: CachedObjects, name: string): Promise<Pod> {
  const pod =
    (await objects.find<Pod>('', 'pods', attributes.namespace, name)) ??
    (await objects.findFresh<Pod>('', 'pods', attributes.namespace, name));
  if (pod === undefined) throw notFound({ group: '', resource: 'pods' }, name);
  return pod;
}

const pods: Check = async (node, attributes, objects) => {
  const { operation, subresource, name, object } = attributes;
  const refuse = (why: string): Error => refused(attributes, why);
  switch (subresource) {
    case 'status':
      return podStatus(node, attributes);
    case 'eviction':
      if (nodeNameOf(await existingPod(attributes, objects, name)) !== node)
        throw refuse(`node ${node} can only evict pods with spec.nodeName set to itself`);
      return undefined;
    case '':
      break;
    default:
      throw refuse(`unexpected pod subresource ${goQuote(subresource)}, only 'status' and 'eviction' are allowed`);
  }
  if (operation === 'CREATE')
    return checkMirrorPod(node, object as Pod, await objects.find<Node>('', 'nodes', '', node), refuse);
  if (operation === 'UPDATE')
    throw refuse(`unexpected operation "UPDATE", node ${goQuote(node)} can only create and delete mirror pods`);
  if (nodeNameOf(await existingPod(attributes, objects, name)) !== node)
    throw refuse(`node ${goQuote(node)} can only delete pods with spec.nodeName set to itself`);
};

function podStatus(node: string, attributes: AdmissionAttributes): void {
  const [pod, old] = [attributes.object as Pod, attributes.oldObject as Pod];
  if (nodeNameOf(old) !== node)
    throw refused(
      attributes,
      `node ${goQuote(node)} can only update pod status for pods with spec.nodeName set to itself`,
    );
  if (!isEqual(pod.metadata.labels, old.metadata.labels))
    throw refused(attributes, `node ${goQuote(node)} cannot update labels through pod status`);
  if (!isEqual(pod.status?.resourceClaimStatuses, old.status?.resourceClaimStatuses))
    throw refused(attributes, `node ${goQuote(node)} cannot update resource claim statuses`);
}

const nodes: Check = (node, attributes) => {
  const { operation, name } = attributes;
  const [object, old] = [attributes.object as Node | undefined, attributes.oldObject as Node | undefined];
  const refuse = (why: string): Error => refused(attributes, why);
  if (operation === 'CREATE') {
    if (object?.spec?.configSource !== undefined)
      throw refuse(`node ${goQuote(node)} is not allowed to create pods with a non-nil configSource`);
    const labels = forbiddenChanges(object?.metadata.labels);
    if (labels.length > 0)
      throw refuse(`node ${goQuote(node)} is not allowed to set the following labels: ${labels.join(', ')}`);
  }
  const requested = name === '' ? (object?.metadata.name ?? '') : name;
  if (requested !== node) throw refuse(`node ${goQuote(node)} is not allowed to modify node ${goQuote(requested)}`);
  if (operation === 'DELETE') throw refuse(`node ${goQuote(node)} is not allowed to delete itself`);
  if (operation !== 'UPDATE') return;
  if (object?.spec?.configSource !== undefined && !isEqual(object.spec.configSource, old?.spec?.configSource))
    throw refuse(`node ${goQuote(node)} is not allowed to update configSource to a new non-nil configSource`);
  if (!isEqual(object?.spec?.taints, old?.spec?.taints))
    throw refuse(`node ${goQuote(node)} is not allowed to modify taints`);
  if (!isEqual(object?.metadata.ownerReferences, old?.metadata.ownerReferences))
    throw refuse(`node ${goQuote(node)} is not allowed to modify ownerReferences`);
  const labels = forbiddenChanges(object?.metadata.labels, old?.metadata.labels);
  if (labels.length > 0) throw refuse(`is not allowed to modify labels: ${labels.join(', ')}`);
};

/** What a resize that the node carries out leaves in the status. */
const claims: Check = (node, attributes) => {
  if (attributes.subresource !== 'status') throw refused(attributes, 'may only update PVC status');
  const rest = ({ metadata, spec, status }: PersistentVolumeClaim): object => {
    const { managedFields: _owners, resourceVersion: _version, ...meta } = metadata;
    const {
      capacity: _capacity,
      conditions: _conditions,
      allocatedResources: _allocated,
      allocatedResourceStatuses: _statuses,
      ...others
    } = status ?? {};
    return { metadata: meta, spec, status: others };
  };
  if (!isEqual(rest(attributes.object as PersistentVolumeClaim), rest(attributes.oldObject as PersistentVolumeClaim))) {
    throw refused(
      attributes,
      `node ${goQuote(node)} is not allowed to update fields other than status.capacity and status.conditions`,
    );
  }
};

const tokens: Check = async (node, attributes, objects) => {
  if (attributes.operation !== 'CREATE' || attributes.subresource !== 'token') return;
  const { apiVersion, kind, name = '', uid = '' } = (attributes.object as TokenRequest).spec.boundObjectRef ?? {};
  if (apiVersion !== 'v1' || kind !== 'Pod' || name === '')
    throw refused(attributes, 'node requested token not bound to a pod');
  if (uid === '') throw refused(attributes, 'node requested token with a pod binding without a uid');
  const pod = await existingPod(attributes, objects, name);
  if (pod.metadata.uid !== uid)
    throw refused(
      attributes,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have ` +
        'been deleted and then recreated',
    );
  if (nodeNameOf(pod) !== node)
    throw refused(attributes, 'node requested token bound to a pod scheduled on a different node');
};

const nameOf = ({ operation, name, object }: AdmissionAttributes): string =>
  operation === 'CREATE' ? (object?.metadata?.name ?? '') : name;

const leases: Check = (node, attributes) => {
  if (attributes.namespace !== 'kube-node-lease')
    throw refused(attributes, 'can only access leases in the "kube-node-lease" system namespace');
  if (nameOf(attributes) !== node)
    throw refused(attributes, 'can only access node lease with the same name as the requesting node');
};

const csiNodes: Check = (node, attributes) => {
  if (nameOf(attributes) !== node)
    throw refused(attributes, 'can only access CSINode with the same name as the requesting node');
};

const slices: Check = (node, attributes) => {
  const { operation, object, oldObject } = attributes;
  const verb = operation === 'CREATE' ? 'create' : 'update';
  for (const slice of [object, oldObject]) {
    if (slice !== undefined && nodeNameOf(slice) !== node)
      throw refused(attributes, `can only ${verb} ResourceSlice with the same NodeName as the requesting node`);
  }
};

const nodeSigners = ['kubernetes.io/kube-apiserver-client-kubelet', 'kubernetes.io/kubelet-serving'];

const signingRequests: Check = (_node, attributes) => {
  const { operation, subresource, user } = attributes;
  const { signerName = '', request = '' } = (attributes.object as CertificateSigningRequest | undefined)?.spec ?? {};
  if (operation !== 'CREATE' || subresource !== '' || !nodeSigners.includes(signerName)) return;
  if (commonNameOf(attributes, request) !== user.name)
    throw refused(attributes, `can only create a node CSR with CN=${user.name}`);
};

function commonNameOf(attributes: AdmissionAttributes, base64: string): string {
  try {
    return requestSubject(Buffer.from(base64, 'base64').toString('latin1')).commonName;
  } catch (error) {
    throw refused(attributes, `unable to parse csr: ${(error as Error).message}`);
  }
}

/** By group and resource. */
const checks: Readonly<Record<string, Check>> = {
  '/pods': pods,
  '/nodes': nodes,
  '/persistentvolumeclaims': claims,
  '/serviceaccounts': tokens,
  'coordination.k8s.io/leases': leases,
  'storage.k8s.io/csinodes': csiNodes,
  'resource.k8s.io/resourceslices': slices,
  'certificates.k8s.io/certificatesigningrequests': signingRequests,
};
