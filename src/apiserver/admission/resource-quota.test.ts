import { describe, expect, it } from 'vitest';
import type { AdmissionAttributes } from '../../registry/admission.ts';
import { attributesFor } from './testing/attributes.ts';
import {
  now,
  type Amounts,
  quota,
  start,
  pod,
  running,
  service,
  claim,
  creating,
  on,
  updating,
} from './testing/quota-objects.ts';
import { startQuotaServer } from './testing/quota-server.ts';

describe('what quotas are charged with', () => {
  it.each<{ name: string; used: Amounts; attributes: AdmissionAttributes; expected: Amounts }>([
    {
      name: 'a pod by number and requests',
      used: { pods: '1', 'requests.cpu': '250m' },
      attributes: creating('pods', pod({ cpu: '500m' })),
      expected: { pods: '2', 'requests.cpu': '750m' },
    },
    {
      name: 'only what is limited',
      used: { pods: '0' },
      attributes: creating('pods', pod({ cpu: '500m', memory: '1Gi' })),
      expected: { pods: '1' },
    },
    {
      name: 'exactly what is left',
      used: { pods: '9' },
      attributes: creating('pods', pod({})),
      expected: { pods: '10' },
    },
    {
      name: 'a claim that grows, by the difference',
      used: { 'requests.storage': '2Gi' },
      attributes: updating('persistentvolumeclaims', claim('1Gi'), claim('3Gi')),
      expected: { 'requests.storage': '4Gi' },
    },
    {
      name: 'a service that becomes a load balancer, with its node ports',
      used: { services: '1', 'services.loadbalancers': '0', 'services.nodeports': '0' },
      attributes: updating('services', service({ type: 'ClusterIP' }), service({ type: 'LoadBalancer' })),
      expected: { services: '1', 'services.loadbalancers': '1', 'services.nodeports': '1' },
    },
    {
      name: 'an object of any kind, by number',
      used: { 'count/configmaps': '3' },
      attributes: creating('configmaps', { metadata: { name: 'm', namespace: 'team' } }),
      expected: { 'count/configmaps': '4' },
    },
    {
      name: 'an object that gets its name later',
      used: { pods: '0' },
      attributes: creating('pods', { ...pod({}), metadata: { generateName: 'p-', namespace: 'team' } }),
      expected: { pods: '1' },
    },
  ])('What quotas are charged with: $name', async ({ used, attributes, expected }) => {
    const hard = {
      pods: '10',
      'requests.cpu': '2',
      'requests.storage': '10Gi',
      services: '5',
      'services.loadbalancers': '1',
      'services.nodeports': '2',
      'count/configmaps': '10',
    } as const;
    await using server = await start(
      quota('q', Object.fromEntries(Object.keys(used).map((name) => [name, hard[name as keyof typeof hard]])), used),
    );
    await server.validate(attributes);
    expect(await server.used('q')).toEqual(expected);
  });

  it.each([
    { name: 'a claim that shrinks', attributes: updating('persistentvolumeclaims', claim('3Gi'), claim('1Gi')) },
    { name: 'a claim that stays as it is', attributes: updating('persistentvolumeclaims', claim('3Gi'), claim('3Gi')) },
    {
      name: 'a service that is no load balancer any more',
      attributes: updating('services', service({ type: 'LoadBalancer' }), service({ type: 'ClusterIP' })),
    },
    { name: 'an update of a pod', attributes: updating('pods', pod({ cpu: '1' }), pod({ cpu: '2' })) },
    {
      name: 'an update of an object that is only counted',
      attributes: updating('configmaps', { metadata: { name: 'm' } }, { metadata: { name: 'm' } }),
    },
    { name: 'a status', attributes: creating('persistentvolumeclaims', claim('1Gi'), { subresource: 'status' }) },
    {
      name: 'an event',
      attributes: creating(
        'events',
        { metadata: { name: 'e' } },
        { kind: { group: '', version: 'v1', kind: 'Event' } },
      ),
    },
    { name: 'a dry run', attributes: creating('pods', pod({}), { dryRun: true }) },
    { name: 'a delete', attributes: attributesFor('pods', undefined, { operation: 'DELETE', name: 'p' }) },
  ])('What quotas are charged with: $name costs nothing', async ({ attributes }) => {
    const used = {
      pods: '1',
      'requests.storage': '3Gi',
      services: '1',
      'services.loadbalancers': '1',
      'services.nodeports': '1',
      'count/configmaps': '1',
      'count/events': '0',
    };
    await using server = await start(
      quota('q', { ...used, pods: '5', 'requests.storage': '10Gi', 'count/events': '0' }, used),
    );
    await server.validate(attributes);
    expect(await server.used('q')).toEqual(used);
  });

  it.each<{ name: string; gates: string[]; cpu: string; attributes: AdmissionAttributes }>([
    {
      name: 'a pod with the resources that it has as a whole',
      gates: on.podLevel,
      cpu: '2',
      attributes: creating('pods', pod({ cpu: '500m' }, { resources: { requests: { cpu: '2' } } })),
    },
    {
      name: 'a pod with the resources of its containers while pods have none of their own',
      gates: [],
      cpu: '500m',
      attributes: creating('pods', pod({ cpu: '500m' }, { resources: { requests: { cpu: '2' } } })),
    },
    {
      name: 'a pod with its overhead',
      gates: [],
      cpu: '750m',
      attributes: creating('pods', pod({ cpu: '500m' }, { overhead: { cpu: '250m' } })),
    },
    {
      name: 'a pod that is resized, by the difference',
      gates: on.resize,
      cpu: '1',
      attributes: attributesFor('pods', pod({ cpu: '2' }), {
        operation: 'UPDATE',
        subresource: 'resize',
        oldObject: pod({ cpu: '1' }),
      }),
    },
    {
      name: 'a pod that grows to what its container has already, nothing',
      gates: on.resize,
      cpu: '0',
      attributes: attributesFor('pods', running(pod({ cpu: '2' }), '3'), {
        operation: 'UPDATE',
        subresource: 'resize',
        oldObject: running(pod({ cpu: '1' }), '3'),
      }),
    },
  ])('What quotas are charged with: $name', async ({ gates, cpu, attributes }) => {
    await using server = await startQuotaServer([quota('q', { cpu: '10' }, { cpu: '0' })], now, gates);
    await server.validate(attributes);
    expect(await server.used('q')).toEqual({ cpu });
  });

  it('What is over the limit already does not keep an object from shrinking', async () => {
    await using server = await start(quota('q', { 'requests.storage': '1Gi' }, { 'requests.storage': '3Gi' }));
    await expect(
      server.validate(updating('persistentvolumeclaims', claim('3Gi'), claim('2Gi'))),
    ).resolves.toBeUndefined();
  });

  it('Every quota of the namespace, and no other', async () => {
    await using server = await start(
      quota('a', { pods: '2' }, { pods: '0' }),
      quota('b', { pods: '3' }, { pods: '1' }),
      { ...quota('c', { pods: '0' }, { pods: '0' }), metadata: { name: 'c', namespace: 'other' } },
    );
    await server.validate(creating('pods', pod({})));
    expect([await server.used('a'), await server.used('b')]).toEqual([{ pods: '1' }, { pods: '2' }]);
  });

  it('The server is the owner of the status that it writes', async () => {
    await using server = await start(quota('q', { pods: '2' }, { pods: '0' }));
    await server.validate(creating('pods', pod({})));
    expect((await server.get('q')).metadata.managedFields).toMatchObject([
      { manager: 'kube-apiserver', operation: 'Update', subresource: 'status', time: '2026-01-01T00:00:00Z' },
    ]);
  });
});
