import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { createNodeRestriction } from './node-restriction.ts';
import { attributesFor, objectsOf } from './testing/attributes.ts';
import { forbidden } from './testing/forbidden-node-requests.ts';
import { bound, csr, mirror, node, type NodeRequest, pod, token, user } from './testing/node-requests.ts';

const objects = objectsOf({
  '/nodes': [{ metadata: { name: 'one', uid: 'uid-one' } }],
  '/pods': [pod('mine', 'one'), pod('other', 'two')],
});
const plugin = createNodeRestriction({ objects });

const admit = async ({ resource, group = '', object, old, more = {} }: NodeRequest): Promise<void> =>
  plugin.admit!(
    attributesFor(resource, object as KubeObject | undefined, {
      resource: { group, version: 'v1', resource },
      user,
      oldObject: old as KubeObject | undefined,
      operation: old === undefined ? 'CREATE' : 'UPDATE',
      ...more,
    }),
  );

const allowed: readonly NodeRequest[] = [
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

describe('NodeRestriction', () => {
  test.each(allowed)('NodeRestriction allows a node $name', async (row) => {
    await expect(admit(row)).resolves.toBeUndefined();
  });

  test.each(forbidden)('Forbids a node $name', async (row) => {
    await expect(admit(row)).rejects.toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: expect.stringMatching(/ is forbidden: /) as string,
    });
    await expect(admit(row)).rejects.toThrow(` is forbidden: ${row.why!}`);
  });

  test('NodeRestriction does not restrict users that are no nodes', async () => {
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
