import { describe, expect, it } from 'vitest';
import { missingOf, usageOf } from './usage.ts';

const shown = (usage: ReturnType<typeof usageOf>): Record<string, string> =>
  Object.fromEntries([...usage].map(([name, amount]) => [name, amount.toString()]));
const container = (name: string, requests: object, limits: object = {}): object => ({
  name,
  resources: { requests, limits },
});

const plain = { podLevel: false, fromStatus: false, overhead: true };

describe('what objects count against quotas', () => {
  it.each([
    {
      name: 'a pod, by what it needs at once',
      group: '',
      resource: 'pods',
      object: {
        spec: {
          containers: [container('a', { cpu: '1' }), container('b', { cpu: '500m' })],
          initContainers: [container('i', { cpu: '1' })],
        },
      },
      expected: { 'count/pods': '1', pods: '1', cpu: '1500m', 'requests.cpu': '1500m' },
    },
    {
      name: 'a pod that has ended',
      group: '',
      resource: 'pods',
      object: { spec: { containers: [] }, status: { phase: 'Failed' } },
      expected: { 'count/pods': '1' },
    },
    {
      name: 'a load balancer',
      group: '',
      resource: 'services',
      object: { spec: { type: 'LoadBalancer', ports: [{}, {}] } },
      expected: { 'count/services': '1', services: '1', 'services.nodeports': '2', 'services.loadbalancers': '1' },
    },
    {
      name: 'a claim of a class',
      group: '',
      resource: 'persistentvolumeclaims',
      object: { metadata: {}, spec: { storageClassName: 'fast', resources: { requests: { storage: '1Gi' } } } },
      expected: {
        'count/persistentvolumeclaims': '1',
        persistentvolumeclaims: '1',
        'requests.storage': '1Gi',
        'fast.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
        'fast.storageclass.storage.k8s.io/requests.storage': '1Gi',
      },
    },
    {
      name: 'anything else, by number',
      group: 'apps',
      resource: 'deployments',
      object: {},
      expected: { 'count/deployments.apps': '1' },
    },
  ])('What objects count against quotas: $name', ({ group, resource, object, expected }) => {
    expect(shown(usageOf(group, resource, object, plain))).toEqual(expected);
  });

  it('What objects count against quotas is refused with the containers that leave it open', () => {
    const pod = { spec: { containers: [container('b', {}), container('a', {}), container('c', { cpu: '1' })] } };
    expect(missingOf(pod as never, ['requests.cpu', 'pods'], plain)).toBe('requests.cpu for: a,b');
  });
});
