import { expect, test } from 'vitest';
import type { Endpoints } from '../../api/gen/types/core-v1.ts';
import type { EndpointSlice } from '../../api/gen/types/discovery-v1.ts';
import { mayBeMirrored, mirrorOf } from './sync.ts';

const endpoints = (subsets: object[], metadata: object = {}): Endpoints =>
  ({ metadata: { name: 'web', namespace: 'n', uid: 'e', ...metadata }, subsets }) as unknown as Endpoints;
const labels = {
  'kubernetes.io/service-name': 'web',
  'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
};
const owner = {
  apiVersion: 'v1',
  kind: 'Endpoints',
  name: 'web',
  uid: 'e',
  controller: true,
  blockOwnerDeletion: true,
};
const port = { name: 'a', protocol: 'TCP', port: 80 };
const slice = (name: string, ips: readonly string[], more: object = {}): EndpointSlice =>
  ({
    metadata: { name, namespace: 'n', resourceVersion: '5', labels, annotations: {}, ownerReferences: [owner] },
    addressType: 'IPv4',
    endpoints: ips.map((ip) => ({ addresses: [ip], conditions: { ready: true } })),
    ports: [port],
    ...more,
  }) as EndpointSlice;
const subset = (ips: readonly string[], more: object = {}): object => ({
  addresses: ips.map((ip) => ({ ip })),
  ports: [port],
  ...more,
});
const ipsOf = ({ endpoints: all = [] }: EndpointSlice): unknown[] => all.map(({ addresses }) => addresses?.[0]);

test('A slice of Endpoints has their addresses, labels and annotations but two', () => {
  const annotations = {
    x: 'y',
    'endpoints.kubernetes.io/last-change-trigger-time': 't',
    'kubectl.kubernetes.io/last-applied-configuration': '{}',
  };
  const notReadyAddresses = [{ ip: '192.0.2.3', hostname: 'h', nodeName: 'm' }];
  const source = endpoints([subset(['192.0.2.1'], { notReadyAddresses })], { labels: { a: 'b' }, annotations });
  expect(mirrorOf(source, [], 1000).changes.create).toEqual([
    {
      metadata: {
        generateName: 'web-',
        namespace: 'n',
        labels: { a: 'b', ...labels },
        annotations: { x: 'y' },
        ownerReferences: [owner],
      },
      addressType: 'IPv4',
      endpoints: [
        { addresses: ['192.0.2.1'], conditions: { ready: true } },
        { addresses: ['192.0.2.3'], conditions: { ready: false }, hostname: 'h', nodeName: 'm' },
      ],
      ports: [port],
    },
  ]);
});

test('Each family and set of ports has a slice of its own', () => {
  const other = { ...port, port: 81 };
  const source = endpoints([subset(['192.0.2.1', '2001:DB8::1']), subset(['192.0.2.1'], { ports: [other] })]);
  const { changes } = mirrorOf(source, [], 1000);
  expect(changes.create.map((each) => [each.addressType, each.ports?.[0]?.port, ...ipsOf(each)])).toEqual([
    ['IPv4', 80, '192.0.2.1'],
    ['IPv6', 80, '2001:db8::1'],
    ['IPv4', 81, '192.0.2.1'],
  ]);
});

test.each([
  {
    name: 'nothing where they are the same',
    slices: [slice('a', ['192.0.2.1'])],
    expected: { unchanged: ['a'] },
    counts: { added: 0, updated: 0, removed: 0 },
  },
  {
    name: 'an update where an address is another',
    slices: [slice('a', ['192.0.2.9'])],
    expected: { update: ['a'] },
    counts: { added: 1, updated: 0, removed: 1 },
  },
  {
    name: 'an update where an address was not ready',
    slices: [slice('a', [], { endpoints: [{ addresses: ['192.0.2.1'], conditions: { ready: false } }] })],
    expected: { update: ['a'] },
    counts: { added: 0, updated: 1, removed: 0 },
  },
  {
    name: 'an update where labels differ',
    slices: [slice('a', ['192.0.2.1'], { metadata: { name: 'a', namespace: 'n', labels: { ...labels, old: '' } } })],
    expected: { update: ['a'] },
    counts: { added: 0, updated: 0, removed: 0 },
  },
  {
    name: 'a removal of a second slice for the same ports',
    slices: [slice('a', ['192.0.2.1']), slice('b', [])],
    expected: { unchanged: ['a'], remove: ['b'] },
    counts: { added: 0, updated: 0, removed: 0 },
  },
  {
    name: 'one write that makes a slice of other ports the one that is missing',
    slices: [slice('a', ['192.0.2.1'], { ports: [] })],
    expected: { update: ['a'] },
    counts: { added: 1, updated: 0, removed: 0 },
  },
  {
    name: 'a new slice and a removal where the family differs',
    slices: [slice('a', [], { addressType: 'IPv6' })],
    expected: { create: [undefined], remove: ['a'] },
    counts: { added: 1, updated: 0, removed: 0 },
  },
])('Slices of Endpoints with one address: $name', ({ slices, expected, counts }) => {
  const mirrored = mirrorOf(endpoints([subset(['192.0.2.1'])]), slices, 1000);
  const names = Object.entries(mirrored.changes)
    .map(([what, found]) => [what, found.map(({ metadata }: EndpointSlice) => metadata.name)] as const)
    .filter(([, found]) => found.length > 0);
  expect(Object.fromEntries(names)).toEqual(expected);
  expect(mirrored.counts).toEqual(counts);
});

test('Addresses that are none and those above the bound are counted, and not mirrored', () => {
  const mirrored = mirrorOf(endpoints([subset(['x', '192.0.2.1', '192.0.2.2', '192.0.2.3'])]), [], 2);
  expect(mirrored).toMatchObject({ invalid: 1, skipped: 2, endpoints: 2 });
  expect(ipsOf(mirrored.changes.create[0]!)).toEqual(['192.0.2.1', '192.0.2.2']);
});

test.each([
  { name: 'plain Endpoints', metadata: {}, expected: true },
  {
    name: 'Endpoints that ask for no mirroring',
    metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    expected: false,
  },
  {
    name: 'a lock of leader election',
    metadata: { annotations: { 'control-plane.alpha.kubernetes.io/leader': '{}' } },
    expected: false,
  },
])('Whether $name may be mirrored', ({ metadata, expected }) => {
  expect(mayBeMirrored(endpoints([], metadata))).toBe(expected);
});
