import { describe, expect, test } from 'vitest';
import type { Node, Service } from '../../api/gen/types/core-v1.ts';
import { backendsKey, changeOf, cleanupFinalizer, isBackend, needsCleanup, wantsLoadBalancer } from './sync.ts';

const service = (spec: Partial<Service['spec']> = {}, metadata: Service['metadata'] = {}): Service => ({
  metadata: { name: 's', namespace: 'default', uid: 'u', ...metadata },
  spec: { type: 'LoadBalancer', ports: [{ port: 80, protocol: 'TCP', nodePort: 30_080 }], ...spec } as Service['spec'],
  status: { loadBalancer: {} },
});
const finalizers = [cleanupFinalizer];

test.each([
  { name: 'of type LoadBalancer', of: service(), wants: true },
  { name: 'with a class', of: service({ loadBalancerClass: 'example.com/internal' }), wants: false },
  { name: 'of another type', of: service({ type: 'NodePort' }), wants: false },
])('Whether a service wants a load balancer: one $name', ({ of, wants }) => {
  expect(wantsLoadBalancer(of)).toBe(wants);
});

test.each([
  { name: 'that wants one', of: service({}, { finalizers }), needs: false },
  { name: 'that is deleted', of: service({}, { finalizers, deletionTimestamp: '2026-01-01T00:00:00Z' }), needs: true },
  { name: 'that is of another type now', of: service({ type: 'ClusterIP' }, { finalizers }), needs: true },
  { name: 'that never had one', of: service({ type: 'ClusterIP' }), needs: false },
])('Whether a service has to lose its load balancer: one $name', ({ of, needs }) => {
  expect(needsCleanup(of)).toBe(needs);
});

describe('changes of a service', () => {
  test.each<{ name: string; before?: Service; after: Service; event: string | undefined }>([
    {
      name: 'its type',
      before: service({ type: 'ClusterIP' }),
      after: service(),
      event: 'Type: ClusterIP -> LoadBalancer',
    },
    {
      name: 'its source ranges',
      after: service({ loadBalancerSourceRanges: ['10.0.0.0/8', '192.0.2.0/24'] }),
      event: 'LoadBalancerSourceRanges: [] -> [10.0.0.0/8 192.0.2.0/24]',
    },
    { name: 'a port', after: service({ ports: [{ port: 81, protocol: 'TCP', nodePort: 30_080 }] }), event: undefined },
    { name: 'its affinity', after: service({ sessionAffinity: 'ClientIP' }), event: undefined },
    { name: 'its address', after: service({ loadBalancerIP: '192.0.2.1' }), event: 'LoadbalancerIP:  -> 192.0.2.1' },
    {
      name: 'how many external IPs',
      after: service({ externalIPs: ['192.0.2.1'] }),
      event: 'ExternalIP: Count: 0 -> 1',
    },
    {
      name: 'an external IP',
      before: service({ externalIPs: ['192.0.2.1'] }),
      after: service({ externalIPs: ['192.0.2.2'] }),
      event: 'ExternalIP: Added: 192.0.2.2',
    },
    { name: 'an annotation', after: service({}, { annotations: { a: 'b' } }), event: undefined },
    { name: 'its uid', after: service({}, { uid: 'v' }), event: 'UID: u -> v' },
    {
      name: 'its traffic policy',
      before: service({ externalTrafficPolicy: 'Cluster' }),
      after: service({ externalTrafficPolicy: 'Local' }),
      event: 'ExternalTrafficPolicy: Cluster -> Local',
    },
    {
      name: 'the port of its health check',
      after: service({ healthCheckNodePort: 32_000 }),
      event: 'HealthCheckNodePort: 0 -> 32000',
    },
    {
      name: 'its families',
      before: service({ ipFamilies: ['IPv4'] }),
      after: service({ ipFamilies: ['IPv4', 'IPv6'] }),
      event: 'IPFamilies: Count: 1 -> 2',
    },
  ])('Changes of a service that its load balancer follows: $name', ({ before = service(), after, event }) => {
    const change = changeOf(before, after);
    expect(change).toBeDefined();
    expect(change!.event && `${change!.event.reason}: ${change!.event.message}`).toBe(event);
  });

  test.each([
    { name: 'of its labels', before: service(), after: service({}, { labels: { a: 'b' } }) },
    {
      name: 'of a target port',
      before: service(),
      after: service({ ports: [{ port: 80, protocol: 'TCP', nodePort: 30_080, targetPort: 8080 }] }),
    },
    {
      name: 'of a service without one',
      before: service({ type: 'NodePort' }),
      after: service({ type: 'NodePort', externalIPs: ['192.0.2.1'] }),
    },
  ])('Changes of a service that leave its load balancer as it is: $name', ({ before, after }) => {
    expect(changeOf(before, after)).toBeUndefined();
  });
});

describe('nodes of load balancers', () => {
  const node = (metadata: Node['metadata'], spec: Node['spec'] = {}): Node => ({ metadata, spec, status: {} }) as Node;

  test.each([
    { name: 'that is not ready', of: node({ name: 'n' }), is: true },
    {
      name: 'that is excluded',
      of: node({ name: 'n', labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } }),
      is: false,
    },
    { name: 'that is being deleted', of: node({ name: 'n', deletionTimestamp: '2026-01-01T00:00:00Z' }), is: false },
    {
      name: 'that an autoscaler removes',
      of: node({ name: 'n' }, { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] }),
      is: false,
    },
  ])('Nodes of load balancers: whether one takes traffic $name', ({ of, is }) => {
    expect(isBackend(of)).toBe(is);
  });

  test('Nodes of load balancers are the same in any order, and others with another machine', () => {
    const [a, b] = [node({ name: 'a' }, { providerID: 'x' }), node({ name: 'b' })];
    expect(backendsKey([a, b])).toBe(backendsKey([b, a]));
    expect(backendsKey([a])).not.toBe(backendsKey([node({ name: 'a' }, { providerID: 'y' })]));
  });
});
