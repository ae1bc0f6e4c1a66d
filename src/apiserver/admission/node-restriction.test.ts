import { describe, expect, test } from 'vitest';
import { encodedRequest } from '../../../test/support/certificate-requests.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { AdmissionAttributes } from '../../registry/admission.ts';
import { createNodeRestriction } from './node-restriction.ts';
import { attributesFor, objectsOf } from './testing/attributes.ts';

const user = { name: 'system:node:one', groups: ['system:nodes'] };
const pod = (name: string, nodeName: string): KubeObject =>
  ({ metadata: { name, namespace: 'team', uid: `uid-${name}` }, spec: { nodeName } }) as KubeObject;
const objects = objectsOf({
  '/nodes': [{ metadata: { name: 'one', uid: 'uid-one' } }],
  '/pods': [pod('mine', 'one'), pod('other', 'two')],
});
const plugin = createNodeRestriction({ objects });

interface Case {
  readonly name: string;
  readonly resource: string;
  readonly group?: string;
  readonly object?: object;
  readonly old?: object;
  readonly more?: Partial<AdmissionAttributes>;
  readonly why?: string;
}

const admit = async ({ resource, group = '', object, old, more = {} }: Case): Promise<void> =>
  plugin.admit!(
    attributesFor(resource, object as KubeObject | undefined, {
      resource: { group, version: 'v1', resource },
      user,
      oldObject: old as KubeObject | undefined,
      operation: old === undefined ? 'CREATE' : 'UPDATE',
      ...more,
    }),
  );

const owner = { apiVersion: 'v1', kind: 'Node', name: 'one', uid: 'uid-one', controller: true };
const mirror = (spec: object = {}, metadata: object = {}): object => ({
  metadata: { name: 'm', annotations: { 'kubernetes.io/config.mirror': 'x' }, ownerReferences: [owner], ...metadata },
  spec: { nodeName: 'one', containers: [], ...spec },
});
const node = (name: string, more: object = {}, labels: object = {}): object => ({
  metadata: { name, labels, ...more },
  spec: {},
});
const bound = (ref: object): object => ({
  metadata: {},
  spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', ...ref } },
});
const token = { namespace: 'team', name: 'builder', subresource: 'token' };
const csr = (commonName: string): object => ({
  metadata: { name: 'c' },
  spec: {
    signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
    request: encodedRequest({ commonName, organizations: ['system:nodes'] }),
  },
});

const allowed: readonly Case[] = [
  { name: 'its mirror pods', resource: 'pods', object: mirror() },
  { name: 'to delete its pods', resource: 'pods', more: { operation: 'DELETE', name: 'mine' } },
  {
    name: 'the status of its pods',
    resource: 'pods',
    object: pod('mine', 'one'),
    old: pod('mine', 'one'),
    more: { subresource: 'status' },
  },
  { name: 'to evict its pods', resource: 'pods', object: {}, more: { subresource: 'eviction', name: 'mine' } },
  {
    name: 'itself, with labels for nodes',
    resource: 'nodes',
    object: node(
      'one',
      {},
      {
        'kubernetes.io/hostname': 'one',
        'node.kubernetes.io/x': '',
        'a.kubelet.kubernetes.io/x': '',
        'example.com/x': '',
        plain: '',
      },
    ),
  },
  {
    name: 'its status',
    resource: 'nodes',
    object: node('one'),
    old: node('one'),
    more: { name: 'one', subresource: 'status' },
  },
  {
    name: 'labels of other clients to stay unchanged',
    resource: 'nodes',
    object: node('one', {}, { 'node-restriction.kubernetes.io/x': 'y' }),
    old: node('one', {}, { 'node-restriction.kubernetes.io/x': 'y' }),
    more: { name: 'one' },
  },
  {
    name: 'tokens bound to its pods',
    resource: 'serviceaccounts',
    object: bound({ name: 'mine', uid: 'uid-mine' }),
    more: token,
  },
  {
    name: 'its lease',
    resource: 'leases',
    group: 'coordination.k8s.io',
    object: node('one'),
    more: { namespace: 'kube-node-lease' },
  },
  { name: 'its CSINode', resource: 'csinodes', group: 'storage.k8s.io', object: node('one') },
  {
    name: 'to ask for its certificate',
    resource: 'certificatesigningrequests',
    group: 'certificates.k8s.io',
    object: csr('system:node:one'),
  },
  {
    name: 'to report a resized claim',
    resource: 'persistentvolumeclaims',
    object: { metadata: { name: 'c' }, spec: {}, status: { capacity: { storage: '2Gi' } } },
    old: { metadata: { name: 'c' }, spec: {}, status: { capacity: { storage: '1Gi' } } },
    more: { subresource: 'status' },
  },
  { name: 'what is no matter of nodes', resource: 'events', object: {} },
];

const forbidden: readonly Case[] = [
  {
    name: 'an ordinary pod',
    resource: 'pods',
    object: mirror({}, { annotations: {} }),
    why: 'pod does not have "kubernetes.io/config.mirror" annotation, node "one" can only create mirror pods',
  },
  {
    name: 'a mirror pod elsewhere',
    resource: 'pods',
    object: mirror({ nodeName: 'two' }),
    why: 'node "one" can only create pods with spec.nodeName set to itself',
  },
  {
    name: 'a mirror pod without an owner',
    resource: 'pods',
    object: mirror({}, { ownerReferences: [] }),
    why: 'node "one" can only create pods with an owner reference set to itself',
  },
  {
    name: 'a mirror pod of several',
    resource: 'pods',
    object: mirror({}, { ownerReferences: [owner, owner] }),
    why: 'node "one" can only create pods with a single owner reference set to itself',
  },
  {
    name: 'a mirror pod it does not control',
    resource: 'pods',
    object: mirror({}, { ownerReferences: [{ ...owner, controller: false }] }),
    why: 'node "one" can only create pods with a controller owner reference set to itself',
  },
  {
    name: 'a mirror pod that holds the node',
    resource: 'pods',
    object: mirror({}, { ownerReferences: [{ ...owner, blockOwnerDeletion: true }] }),
    why: 'node "one" must not set blockOwnerDeletion on an owner reference',
  },
  {
    name: 'a mirror pod of an earlier node',
    resource: 'pods',
    object: mirror({}, { ownerReferences: [{ ...owner, uid: 'x' }] }),
    why: 'node one UID mismatch: expected x got uid-one',
  },
  {
    name: 'a mirror pod with an account',
    resource: 'pods',
    object: mirror({ serviceAccountName: 'x' }),
    why: 'node "one" can not create pods that reference a service account',
  },
  {
    name: 'a mirror pod with a secret',
    resource: 'pods',
    object: mirror({ volumes: [{ name: 'a', secret: { secretName: 's' } }] }),
    why: 'node "one" can not create pods that reference secrets',
  },
  {
    name: 'a mirror pod with a config map',
    resource: 'pods',
    object: mirror({ containers: [{ name: 'c', envFrom: [{ configMapRef: { name: 'm' } }] }] }),
    why: 'node "one" can not create pods that reference configmaps',
  },
  {
    name: 'a mirror pod with a claim',
    resource: 'pods',
    object: mirror({ volumes: [{ name: 'a', persistentVolumeClaim: { claimName: 's' } }] }),
    why: 'node "one" can not create pods that reference persistentvolumeclaims',
  },
  {
    name: 'to delete pods of others',
    resource: 'pods',
    more: { operation: 'DELETE', name: 'other' },
    why: 'node "one" can only delete pods with spec.nodeName set to itself',
  },
  {
    name: 'to evict pods of others',
    resource: 'pods',
    object: {},
    more: { subresource: 'eviction', name: 'other' },
    why: 'node one can only evict pods with spec.nodeName set to itself',
  },
  {
    name: 'the status of pods of others',
    resource: 'pods',
    object: pod('other', 'one'),
    old: pod('other', 'two'),
    more: { subresource: 'status' },
    why: 'node "one" can only update pod status for pods with spec.nodeName set to itself',
  },
  {
    name: 'labels by way of the status',
    resource: 'pods',
    object: { ...pod('mine', 'one'), metadata: { labels: { a: 'b' } } },
    old: pod('mine', 'one'),
    more: { subresource: 'status' },
    why: 'node "one" cannot update labels through pod status',
  },
  {
    name: 'another node',
    resource: 'nodes',
    object: node('two'),
    why: 'node "one" is not allowed to modify node "two"',
  },
  {
    name: 'to delete another node',
    resource: 'nodes',
    more: { operation: 'DELETE', name: 'two' },
    why: 'node "one" is not allowed to modify node "two"',
  },
  {
    name: 'to delete itself',
    resource: 'nodes',
    more: { operation: 'DELETE', name: 'one' },
    why: 'node "one" is not allowed to delete itself',
  },
  {
    name: 'labels that steer workloads',
    resource: 'nodes',
    object: node(
      'one',
      {},
      { 'x.node-restriction.kubernetes.io/a': '', 'node-role.kubernetes.io/control-plane': '', 'foo.k8s.io/x': '' },
    ),
    why:
      'node "one" is not allowed to set the following labels: foo.k8s.io/x, ' +
      'node-role.kubernetes.io/control-plane, x.node-restriction.kubernetes.io/a',
  },
  {
    name: 'to take such labels away',
    resource: 'nodes',
    object: node('one'),
    old: node('one', {}, { 'node-restriction.kubernetes.io/a': '' }),
    more: { name: 'one' },
    why: 'is not allowed to modify labels: node-restriction.kubernetes.io/a',
  },
  {
    name: 'its taints',
    resource: 'nodes',
    object: node('one'),
    old: { ...node('one'), spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } },
    more: { name: 'one' },
    why: 'node "one" is not allowed to modify taints',
  },
  {
    name: 'its owners',
    resource: 'nodes',
    object: node('one', { ownerReferences: [owner] }),
    old: node('one'),
    more: { name: 'one' },
    why: 'node "one" is not allowed to modify ownerReferences',
  },
  {
    name: 'tokens bound to nothing',
    resource: 'serviceaccounts',
    object: { metadata: {}, spec: {} },
    more: token,
    why: 'node requested token not bound to a pod',
  },
  {
    name: 'tokens bound to any pod of a name',
    resource: 'serviceaccounts',
    object: bound({ name: 'mine' }),
    more: token,
    why: 'node requested token with a pod binding without a uid',
  },
  {
    name: 'tokens bound to pods of others',
    resource: 'serviceaccounts',
    object: bound({ name: 'other', uid: 'uid-other' }),
    more: token,
    why: 'node requested token bound to a pod scheduled on a different node',
  },
  {
    name: 'leases of others',
    resource: 'leases',
    group: 'coordination.k8s.io',
    object: node('two'),
    more: { namespace: 'kube-node-lease' },
    why: 'can only access node lease with the same name as the requesting node',
  },
  {
    name: 'leases elsewhere',
    resource: 'leases',
    group: 'coordination.k8s.io',
    object: node('one'),
    more: { namespace: 'default' },
    why: 'can only access leases in the "kube-node-lease" system namespace',
  },
  {
    name: 'slices of others',
    resource: 'resourceslices',
    group: 'resource.k8s.io',
    object: { spec: { nodeName: 'two' } },
    why: 'can only create ResourceSlice with the same NodeName as the requesting node',
  },
  {
    name: 'certificates of others',
    resource: 'certificatesigningrequests',
    group: 'certificates.k8s.io',
    object: csr('system:node:two'),
    why: 'can only create a node CSR with CN=system:node:one',
  },
  {
    name: 'claims beyond their size',
    resource: 'persistentvolumeclaims',
    object: { metadata: { name: 'c', labels: { a: 'b' } }, status: {} },
    old: { metadata: { name: 'c' }, status: {} },
    more: { subresource: 'status' },
    why: 'node "one" is not allowed to update fields other than status.capacity and status.conditions',
  },
  {
    name: 'everything without a name',
    resource: 'events',
    object: {},
    more: { user: { name: 'system:node:', groups: ['system:nodes'] } },
    why: 'could not determine node from user "system:node:"',
  },
];

describe('NodeRestriction', () => {
  test.each(allowed)('allows a node $name', async (row) => {
    await expect(admit(row)).resolves.toBeUndefined();
  });

  test.each(forbidden)('forbids a node $name', async (row) => {
    await expect(admit(row)).rejects.toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: expect.stringMatching(/ is forbidden: /) as string,
    });
    await expect(admit(row)).rejects.toThrow(` is forbidden: ${row.why!}`);
  });

  test('does not restrict users that are no nodes', async () => {
    await expect(
      admit({
        name: '',
        resource: 'nodes',
        object: node('two'),
        more: { user: { name: 'system:node:one', groups: [] } },
      }),
    ).resolves.toBeUndefined();
  });
});
