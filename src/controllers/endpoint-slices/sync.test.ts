import { expect, test } from 'vitest';
import type { Node, Pod, Service } from '../../api/gen/types/core-v1.ts';
import type { EndpointSlice } from '../../api/gen/types/discovery-v1.ts';
import { slicesOf } from './sync.ts';

const service = (spec: object = {}, labels: Record<string, string> = {}): Service =>
  ({
    metadata: { name: 'web', namespace: 'n', uid: 's', labels },
    spec: { selector: { app: 'web' }, clusterIP: '10.0.0.1', ipFamilies: ['IPv4'], ports: [{ port: 80 }], ...spec },
  }) as unknown as Service;

const pod = (id: number, { ready = true, ends = false, nodeName = 'n1' } = {}): Pod =>
  ({
    metadata: {
      name: `p${id}`,
      namespace: 'n',
      uid: `u${id}`,
      ...(ends ? { deletionTimestamp: '2024-01-01T00:00:00Z' } : {}),
    },
    spec: { nodeName, containers: [] },
    status: {
      podIPs: [{ ip: `10.1.0.${id}` }, { ip: `fd00::${id}` }],
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    },
  }) as unknown as Pod;

const node = { metadata: { name: 'n1', labels: { 'topology.kubernetes.io/zone': 'z1' } } } as unknown as Node;
const labels = {
  'kubernetes.io/service-name': 'web',
  'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
};
const owner = { apiVersion: 'v1', kind: 'Service', name: 'web', uid: 's', controller: true, blockOwnerDeletion: true };
const existing = (name: string, more: object = {}): EndpointSlice =>
  ({
    metadata: { name, namespace: 'n', labels, ownerReferences: [owner] },
    addressType: 'IPv4',
    endpoints: [],
    ports: [],
    ...more,
  }) as EndpointSlice;

const resultsOf = (of: Service, pods: readonly Pod[], slices: readonly EndpointSlice[] = []) =>
  slicesOf({ service: of, pods, slices, nodeOf: (name) => (name === 'n1' ? node : undefined), maxPerSlice: 2 });
const conditions = (ready: boolean, serving: boolean, terminating: boolean): object => ({
  ready,
  serving,
  terminating,
});

test.each([
  { name: 'a ready pod', of: service(), pod: pod(1), expected: conditions(true, true, false) },
  {
    name: 'a pod that is not ready',
    of: service(),
    pod: pod(1, { ready: false }),
    expected: conditions(false, false, false),
  },
  {
    name: 'a pod that ends and still answers',
    of: service(),
    pod: pod(1, { ends: true }),
    expected: conditions(false, true, true),
  },
  {
    name: 'a pod that is not ready and published',
    of: service({ publishNotReadyAddresses: true }),
    pod: pod(1, { ready: false }),
    expected: conditions(true, false, false),
  },
])('Conditions of the endpoint of $name', ({ of, pod: only, expected }) => {
  const { changes } = resultsOf(of, [only])[0]!;
  expect(changes.create[0]!.endpoints).toEqual([
    {
      addresses: ['10.1.0.1'],
      conditions: expected,
      targetRef: { kind: 'Pod', namespace: 'n', name: 'p1', uid: 'u1' },
      nodeName: 'n1',
      zone: 'z1',
    },
  ]);
});

test('A service without pods has one slice without endpoints and ports, owned by the service', () => {
  const { changes, wantedSlices } = resultsOf(service({}, { a: 'b' }), [])[0]!;
  expect(wantedSlices).toBe(1);
  expect(changes.create).toEqual([
    {
      metadata: { generateName: 'web-', namespace: 'n', labels: { a: 'b', ...labels }, ownerReferences: [owner] },
      addressType: 'IPv4',
      endpoints: [],
      ports: [],
    },
  ]);
});

test.each([
  {
    name: 'an empty slice stays as the one of no pods',
    slices: [existing('a')],
    create: 0,
    remove: [],
    unchanged: ['a'],
  },
  {
    name: 'an empty slice of an earlier service of the name is replaced',
    slices: [existing('a', { metadata: { name: 'a', namespace: 'n', labels } })],
    create: 1,
    remove: ['a'],
    unchanged: [],
  },
  {
    name: 'a slice of a family that the service does not have is removed',
    slices: [existing('a'), existing('b', { addressType: 'IPv6' })],
    create: 0,
    remove: ['b'],
    unchanged: ['a'],
  },
  {
    name: 'a slice with ports that no pod has is removed',
    slices: [existing('a', { ports: [{ name: '', protocol: 'TCP', port: 81 }] })],
    create: 1,
    remove: ['a'],
    unchanged: [],
  },
])('Slices of no pods: $name', ({ slices, create, remove, unchanged }) => {
  const results = resultsOf(service(), [], slices);
  const names = (of: 'remove' | 'unchanged'): unknown[] =>
    results.flatMap(({ changes }) => changes[of].map(({ metadata }) => metadata.name));
  expect(results.flatMap(({ changes }) => changes.create)).toHaveLength(create);
  expect(names('remove')).toEqual(remove);
  expect(names('unchanged')).toEqual(unchanged);
});

test('A service of two families has slices of both', () => {
  const results = resultsOf(service({ ipFamilies: ['IPv4', 'IPv6'] }), [pod(1)]);
  const shown = results.map(({ addressType, changes }) => [addressType, changes.create[0]!.endpoints![0]!.addresses]);
  expect(shown).toEqual([
    ['IPv4', ['10.1.0.1']],
    ['IPv6', ['fd00::1']],
  ]);
});

test('A pod whose node is not known is left out and told, unless all pods are published', () => {
  const { problems, endpoints } = resultsOf(service(), [pod(1), pod(2, { nodeName: 'n2' })])[0]!;
  expect(problems).toEqual(['skipping Pod p2 for Service n/web: Node n2 Not Found']);
  expect(endpoints).toBe(1);
  const published = resultsOf(service({ publishNotReadyAddresses: true }), [pod(2, { nodeName: 'n2' })]);
  expect(published[0]).toMatchObject({ problems: [], endpoints: 1 });
});

test('A headless service is marked, and reserved labels of the service are not taken over', () => {
  const own = { a: 'b', 'endpointslice.kubernetes.io/managed-by': 'x', 'service.kubernetes.io/headless': 'x' };
  const { changes } = resultsOf(service({ clusterIP: 'None' }, own), [])[0]!;
  expect(changes.create[0]!.metadata.labels).toEqual({ a: 'b', ...labels, 'service.kubernetes.io/headless': '' });
});
