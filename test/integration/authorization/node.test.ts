import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type ApiUsers, startApiUsers } from '../../support/api-users.ts';

const one = 'system:node:one';
const two = 'system:node:two';
const core = '/api/v1/namespaces/default';
const container = { name: 'c', image: 'i' };

let api: ApiUsers;
beforeAll(async () => {
  api = await startApiUsers(
    { [one]: ['system:nodes'], [two]: ['system:nodes'], 'system:node:': ['system:nodes'], 'system:node:three': [] },
    ['--authorization-mode=Node,RBAC'],
  );
  for (const name of ['env', 'from', 'volume', 'projected', 'pull', 'pv', 'ephemeral', 'other'])
    await api.create(`${core}/secrets`, { metadata: { name } });
  for (const name of ['env', 'from', 'volume', 'projected', 'other'])
    await api.create(`${core}/configmaps`, { metadata: { name } });
  await api.create(`${core}/serviceaccounts`, { metadata: { name: 'builder' } });
  for (const name of ['claimed', 'pod-scratch', 'other']) {
    await api.create(`${core}/persistentvolumeclaims`, {
      metadata: { name },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
  }
  const volume = (name: string, claim: string): object => ({
    metadata: { name },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      claimRef: { namespace: 'default', name: claim },
      csi: {
        driver: 'd',
        volumeHandle: name,
        nodePublishSecretRef: { namespace: 'default', name: claim === 'claimed' ? 'pv' : 'other' },
      },
    },
  });
  await api.create('/api/v1/persistentvolumes', volume('of-claim', 'claimed'));
  await api.create('/api/v1/persistentvolumes', volume('of-other', 'other'));
  await api.create('/apis/storage.k8s.io/v1/volumeattachments', {
    metadata: { name: 'on-one' },
    spec: { attacher: 'a', nodeName: 'one', source: { persistentVolumeName: 'of-claim' } },
  });
  await api.create(`${core}/pods`, {
    metadata: { name: 'pod' },
    spec: {
      nodeName: 'one',
      serviceAccountName: 'builder',
      imagePullSecrets: [{ name: 'pull' }],
      containers: [
        {
          ...container,
          env: [
            { name: 'A', valueFrom: { secretKeyRef: { name: 'env', key: 'k' } } },
            { name: 'B', valueFrom: { configMapKeyRef: { name: 'env', key: 'k' } } },
          ],
        },
      ],
      initContainers: [
        { ...container, name: 'i', envFrom: [{ secretRef: { name: 'from' } }, { configMapRef: { name: 'from' } }] },
      ],
      volumes: [
        { name: 'a', secret: { secretName: 'volume' } },
        { name: 'b', configMap: { name: 'volume' } },
        { name: 'c', persistentVolumeClaim: { claimName: 'claimed' } },
        {
          name: 'd',
          projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'projected' } }] },
        },
        {
          name: 'scratch',
          ephemeral: {
            volumeClaimTemplate: {
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            },
          },
        },
      ],
    },
  });
  await api.create(`${core}/pods`, {
    metadata: { name: 'unbound' },
    spec: { containers: [container], volumes: [{ name: 'a', secret: { secretName: 'other' } }] },
  });
  await api.create('/api/v1/nodes', { metadata: { name: 'one' } });
  await api.until(one, 'GET', `${core}/pods/pod`, ({ status }) => status === 200);
  await api.until(one, 'GET', '/api/v1/persistentvolumes/of-claim', ({ status }) => status === 200);
  await api.until(one, 'GET', '/apis/storage.k8s.io/v1/volumeattachments/on-one', ({ status }) => status === 200);
});
afterAll(() => api[Symbol.asyncDispose]());

const get = (user: string, path: string): Promise<Answer> => api.call(user, 'GET', path);

test.each([
  ...['env', 'from', 'volume', 'projected', 'pull', 'pv'].map((name) => `secrets/${name}`),
  ...['env', 'from', 'volume', 'projected'].map((name) => `configmaps/${name}`),
  'persistentvolumeclaims/claimed',
  'persistentvolumeclaims/pod-scratch',
  'pods/pod',
])('A node reads what its pods refer to, and no other node does: %s', async (path) => {
  expect((await get(one, `${core}/${path}`)).status).toBe(200);
  const refused = await get(two, `${core}/${path}`);
  expect(refused.status).toBe(403);
  expect(refused.body.message).toContain("no relationship found between node 'two' and this object");
});

test('One object can be watched by name', async () => {
  expect((await get(one, `${core}/secrets?fieldSelector=metadata.name=env`)).body.items).toHaveLength(1);
  expect((await get(two, `${core}/secrets?fieldSelector=metadata.name=env`)).status).toBe(403);
});

describe('a node is refused', () => {
  test.each([
    {
      name: 'what none of its pods refers to',
      user: one,
      path: `${core}/secrets/other`,
      why: "no relationship found between node 'one' and this object",
    },
    {
      name: 'what only a pod without a node refers to',
      user: one,
      path: `${core}/configmaps/other`,
      why: "no relationship found between node 'one' and this object",
    },
    {
      name: 'the volume of another claim',
      user: one,
      path: '/api/v1/persistentvolumes/of-other',
      why: "no relationship found between node 'one' and this object",
    },
    { name: 'all secrets of a namespace', user: one, path: `${core}/secrets`, why: 'No Object name found' },
    { name: 'all secrets', user: one, path: '/api/v1/secrets', why: 'can only read namespaced object of this type' },
    {
      name: 'all volumes',
      user: one,
      path: '/api/v1/persistentvolumes',
      why: 'can only get individual resources of this type',
    },
    {
      name: 'the attachment of another node',
      user: two,
      path: '/apis/storage.k8s.io/v1/volumeattachments/on-one',
      why: "no relationship found between node 'two' and this object",
    },
    {
      name: 'all nodes',
      user: one,
      path: '/api/v1/nodes',
      why: "node 'one' cannot read all nodes, only its own Node object",
    },
    {
      name: 'another node',
      user: two,
      path: '/api/v1/nodes/one',
      why: "node 'two' cannot read 'one', only its own Node object",
    },
    {
      name: 'all pods',
      user: one,
      path: '/api/v1/pods',
      why: 'can only list/watch pods with spec.nodeName field selector',
    },
    {
      name: 'pods of another node',
      user: one,
      path: '/api/v1/pods?fieldSelector=spec.nodeName=two',
      why: 'can only list/watch pods with spec.nodeName field selector',
    },
    {
      name: 'pods of all other nodes',
      user: one,
      path: '/api/v1/pods?fieldSelector=spec.nodeName!=one',
      why: 'can only list/watch pods with spec.nodeName field selector',
    },
    {
      name: 'leases elsewhere',
      user: one,
      path: '/apis/coordination.k8s.io/v1/namespaces/default/leases/one',
      why: 'can only access leases in the "kube-node-lease" system namespace',
    },
    {
      name: 'the lease of another',
      user: one,
      path: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/two',
      why: 'can only access node lease with the same name as the requesting node',
    },
    {
      name: 'another CSINode',
      user: one,
      path: '/apis/storage.k8s.io/v1/csinodes/two',
      why: 'can only access CSINode with the same name as the requesting node',
    },
    {
      name: 'everything when it has no name',
      user: 'system:node:',
      path: '/api/v1/nodes/',
      why: 'unknown node for user "system:node:"',
    },
  ])('A node is refused: $name', async ({ user, path, why }) => {
    const { status, body } = await get(user, path);
    expect(status).toBe(403);
    expect(body.message).toContain(`: ${why}`);
  });

  test('A node is refused whatever it claims to be without the group', async () => {
    const { body } = await get('system:node:three', '/api/v1/nodes/three');
    expect(body.message).toBe(
      'nodes "three" is forbidden: User "system:node:three" cannot get resource "nodes" in API group "" ' +
        'at the cluster scope',
    );
  });

  test('A node is refused tokens of accounts that its pods do not have', async () => {
    const token = (user: string, account: string): Promise<Answer> =>
      api.call(user, 'POST', `${core}/serviceaccounts/${account}/token`, { body: { spec: { audiences: ['a'] } } });
    expect((await token(one, 'builder')).status).not.toBe(403);
    expect((await token(two, 'builder')).status).toBe(403);
    expect((await token(one, 'default')).status).toBe(403);
  });
});

describe('a node may', () => {
  test.each([
    { name: 'list its pods', path: '/api/v1/pods?fieldSelector=spec.nodeName=one' },
    { name: 'read itself', path: '/api/v1/nodes/one' },
    { name: 'watch itself', path: '/api/v1/nodes?fieldSelector=metadata.name=one' },
    { name: 'read services', path: '/api/v1/services' },
    { name: 'read CSI drivers', path: '/apis/storage.k8s.io/v1/csidrivers' },
  ])('A node may: $name', async ({ path }) => {
    expect((await get(one, path)).status).toBe(200);
  });

  test('A node may create and read its own lease', async () => {
    const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
    expect((await api.call(one, 'POST', leases, { body: { metadata: { name: 'one' }, spec: {} } })).status).toBe(201);
    expect((await get(one, `${leases}/one`)).status).toBe(200);
  });
});

test("Without its pod a node loses what was the pod's", async () => {
  await api.create(`${core}/pods`, {
    metadata: { name: 'second' },
    spec: { nodeName: 'two', containers: [container], volumes: [{ name: 'a', secret: { secretName: 'ephemeral' } }] },
  });
  await api.until(two, 'GET', `${core}/secrets/ephemeral`, ({ status }) => status === 200);
  await api.call('admin', 'DELETE', `${core}/pods/second?gracePeriodSeconds=0`);
  await api.until(two, 'GET', `${core}/secrets/ephemeral`, ({ status }) => status === 403);
});
