import { expect, test } from 'vitest';
import type { Endpoints, Pod, Service } from '../../api/gen/types/core-v1.ts';
import { endpointsOf } from './sync.ts';

const service = (spec: object = {}, metadata: object = {}): Service =>
  ({
    metadata: { name: 'web', namespace: 'n', ...metadata },
    spec: { selector: { app: 'web' }, clusterIP: '10.0.0.1', ipFamilies: ['IPv4'], ports: [{ port: 80 }], ...spec },
  }) as unknown as Service;

const pod = (id: number, { ready = true, spec = {}, status = {}, metadata = {} } = {}): Pod =>
  ({
    metadata: { name: `p${id}`, namespace: 'n', uid: `u${id}`, ...metadata },
    spec: { nodeName: 'n1', containers: [], ...spec },
    status: {
      podIP: `10.1.0.${id}`,
      podIPs: [{ ip: `10.1.0.${id}` }, { ip: `fd00::${id}` }],
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      ...status,
    },
  }) as unknown as Pod;

const address = (id: number, more: object = {}): object => ({
  ip: `10.1.0.${id}`,
  ...more,
  nodeName: 'n1',
  targetRef: { kind: 'Pod', namespace: 'n', name: `p${id}`, uid: `u${id}` },
});
const port80 = [{ port: 80, protocol: 'TCP' }];
const named = (containerPort: number): object => ({
  containers: [{ name: 'a', ports: [{ name: 'http', containerPort }] }],
});

test.each([
  { name: 'no pods', service: service(), pods: [], subsets: [] },
  {
    name: 'pods that are ready and not ready, by address',
    service: service(),
    pods: [pod(2), pod(1), pod(3, { ready: false })],
    subsets: [{ addresses: [address(1), address(2)], notReadyAddresses: [address(3)], ports: port80 }],
  },
  {
    name: 'pods that are not ready and are published',
    service: service({ publishNotReadyAddresses: true }),
    pods: [pod(1, { ready: false })],
    subsets: [{ addresses: [address(1)], ports: port80 }],
  },
  {
    name: 'pods that are over, terminating or without an address',
    service: service(),
    pods: [
      pod(1, { status: { phase: 'Succeeded' } }),
      pod(2, { metadata: { deletionTimestamp: '2024-01-01T00:00:00Z' } }),
      pod(3, { status: { podIP: '', podIPs: [] } }),
    ],
    subsets: [],
  },
  {
    name: 'a terminating pod of a service that publishes all',
    service: service({ publishNotReadyAddresses: true }),
    pods: [pod(1, { metadata: { deletionTimestamp: '2024-01-01T00:00:00Z' } })],
    subsets: [{ addresses: [address(1)], ports: port80 }],
  },
  {
    name: 'pods with different numbers for a named port',
    service: service({ ports: [{ name: 'http', port: 80, targetPort: 'http' }] }),
    pods: [pod(1, { spec: named(8080) }), pod(2, { spec: named(9090) })],
    subsets: [
      { addresses: [address(1)], ports: [{ name: 'http', port: 8080, protocol: 'TCP' }] },
      { addresses: [address(2)], ports: [{ name: 'http', port: 9090, protocol: 'TCP' }] },
    ],
  },
  {
    name: 'a pod without the named port',
    service: service({ ports: [{ name: 'http', port: 80, targetPort: 'http' }] }),
    pods: [pod(1)],
    subsets: [],
  },
  {
    name: 'the addresses of the family of the service',
    service: service({ ipFamilies: ['IPv6'] }),
    pods: [pod(1)],
    subsets: [{ addresses: [{ ...address(1), ip: 'fd00::1' }], ports: port80 }],
  },
  {
    name: 'a headless service without ports',
    service: service({ clusterIP: 'None', ports: [] }),
    pods: [pod(1)],
    subsets: [{ addresses: [address(1)] }],
  },
  {
    name: 'a pod with a host name below the service',
    service: service(),
    pods: [pod(1, { spec: { hostname: 'h', subdomain: 'web' } }), pod(2, { spec: { hostname: 'h', subdomain: 'x' } })],
    subsets: [{ addresses: [address(1, { hostname: 'h' }), address(2)], ports: port80 }],
  },
])('Endpoints of $name', ({ service: of, pods, subsets }) => {
  expect(endpointsOf(of, pods, undefined, undefined)?.subsets).toEqual(subsets);
});

const current: Endpoints = {
  metadata: { name: 'web', namespace: 'n', resourceVersion: '7', labels: { a: 'b' } },
  subsets: [{ addresses: [address(1)], ports: port80 }] as NonNullable<Endpoints['subsets']>,
};

test('Endpoints that say what there is are not written again', () => {
  expect(endpointsOf(service({}, { labels: { a: 'b' } }), [pod(1)], current, 'later')).toBeUndefined();
});

test('Labels of the service replace those of its endpoints, and a headless service is marked', () => {
  const wanted = endpointsOf(service({ clusterIP: 'None' }, { labels: { c: 'd' } }), [pod(1)], current, undefined);
  expect(wanted?.metadata.labels).toEqual({ c: 'd', 'service.kubernetes.io/headless': '' });
  expect(wanted?.metadata.resourceVersion).toBe('7');
});

test('The time of the change is told, and goes with the next change that has none', () => {
  const name = 'endpoints.kubernetes.io/last-change-trigger-time';
  const first = endpointsOf(service(), [pod(1)], undefined, '2024-01-01T00:00:00Z')!;
  expect(first.metadata.annotations).toEqual({ [name]: '2024-01-01T00:00:00Z' });
  expect(endpointsOf(service(), [], first, undefined)!.metadata.annotations).toEqual({});
});

test('More than 1000 addresses are cut, ready ones are kept first, and the annotation says so', () => {
  const many = Array.from({ length: 1200 }, (_, i) => {
    const ip = `10.2.${i >> 8}.${i & 255}`;
    return pod(i, { ready: i % 2 === 0, status: { podIPs: [{ ip }] } });
  });
  const whole = endpointsOf(service(), many, undefined, undefined)!;
  expect(
    whole.subsets!.map(({ addresses, notReadyAddresses }) => [addresses?.length, notReadyAddresses?.length]),
  ).toEqual([[600, 400]]);
  expect(whole.metadata.annotations).toEqual({ 'endpoints.kubernetes.io/over-capacity': 'truncated' });
  expect(endpointsOf(service(), many.slice(0, 10), whole, undefined)!.metadata.annotations).toEqual({});
});
