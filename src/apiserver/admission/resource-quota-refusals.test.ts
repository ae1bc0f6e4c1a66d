import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec, ResourceQuotaSpec } from '../../api/gen/types/core-v1.ts';
import type { AdmissionAttributes } from '../../registry/admission.ts';
import {
  now,
  type Amounts,
  quota,
  start,
  pod,
  service,
  claim,
  creating,
  on,
  updating,
} from './testing/quota-objects.ts';
import { startQuotaServer } from './testing/quota-server.ts';

describe('what quotas refuse', () => {
  it.each<{ name: string; hard: Amounts; used: Amounts; attributes: AdmissionAttributes; message: string }>([
    {
      name: 'one pod too many',
      hard: { pods: '1' },
      used: { pods: '1' },
      attributes: creating('pods', pod({})),
      message: 'pods "p" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
    },
    {
      name: 'several things at once, by name',
      hard: { pods: '0', 'requests.cpu': '1', memory: '1Gi' },
      used: { pods: '0', 'requests.cpu': '800m', memory: '0' },
      attributes: creating('pods', pod({ cpu: '500m', memory: '1Mi' })),
      message:
        'pods "p" is forbidden: exceeded quota: q, requested: pods=1,requests.cpu=500m, used: ' +
        'pods=0,requests.cpu=800m, limited: pods=0,requests.cpu=1',
    },
    {
      name: 'a claim that grows too far',
      hard: { 'requests.storage': '4Gi' },
      used: { 'requests.storage': '3Gi' },
      attributes: updating('persistentvolumeclaims', claim('1Gi'), claim('3Gi')),
      message:
        'persistentvolumeclaims "c" is forbidden: exceeded quota: q, requested: requests.storage=2Gi, used: ' +
        'requests.storage=3Gi, limited: requests.storage=4Gi',
    },
    {
      name: 'a claim of a class without free capacity',
      hard: { 'fast.storageclass.storage.k8s.io/persistentvolumeclaims': '0' },
      used: { 'fast.storageclass.storage.k8s.io/persistentvolumeclaims': '0' },
      attributes: creating('persistentvolumeclaims', claim('1Gi', { storageClassName: 'fast' })),
      message:
        'persistentvolumeclaims "c" is forbidden: exceeded quota: q, requested: ' +
        'fast.storageclass.storage.k8s.io/persistentvolumeclaims=1, used: ' +
        'fast.storageclass.storage.k8s.io/persistentvolumeclaims=0, limited: ' +
        'fast.storageclass.storage.k8s.io/persistentvolumeclaims=0',
    },
    {
      name: 'a pod that leaves open what is limited',
      hard: { 'requests.cpu': '1', 'limits.memory': '1Gi' },
      used: { 'requests.cpu': '0', 'limits.memory': '0' },
      attributes: creating('pods', pod({})),
      message: 'pods "p" is forbidden: failed quota: q: must specify limits.memory for: c; requests.cpu for: c',
    },
    {
      name: 'a pod while nothing is known of its use',
      hard: { pods: '1', 'count/pods': '1' },
      used: {},
      attributes: creating('pods', pod({})),
      message: 'pods "p" is forbidden: status unknown for quota: q, resources: count/pods,pods',
    },
    {
      name: 'a pod while only a part of its use is known',
      hard: { pods: '5', 'requests.cpu': '1', services: '1' },
      used: { pods: '0' },
      attributes: creating('pods', pod({ cpu: '1' })),
      message: 'pods "p" is forbidden: status unknown for quota: q, resources: pods,requests.cpu',
    },
    {
      name: 'a service while not all is known that services are counted by',
      hard: { services: '5', 'services.loadbalancers': '1' },
      used: { services: '0' },
      attributes: creating('services', service({ type: 'ClusterIP' })),
      message: 'services "s" is forbidden: status unknown for quota: q, resources: services,services.loadbalancers',
    },
  ])('What quotas refuse: $name', async ({ hard, used, attributes, message }) => {
    await using server = await start(quota('q', hard, used));
    await expect(server.validate(attributes)).rejects.toMatchObject({ code: 403, reason: 'Forbidden', message });
    expect((await server.used('q')) ?? {}).toEqual(used);
  });

  it.each([
    {
      name: 'not a pod with resources as a whole whose containers leave them open',
      gates: on.podLevel,
      refused: false,
    },
    { name: 'such a pod while pods have no resources of their own', gates: [], refused: true },
  ])('What quotas refuse: $name', async ({ gates, refused }) => {
    await using server = await startQuotaServer([quota('q', { cpu: '10' }, { cpu: '0' })], now, gates);
    const object = pod({}, { resources: { requests: { cpu: '1' } } });
    const message = 'pods "p" is forbidden: failed quota: q: must specify cpu for: c';
    const answer = server.validate(creating('pods', object));
    await (refused ? expect(answer).rejects.toMatchObject({ message }) : expect(answer).resolves.toBeUndefined());
  });

  it('Quotas are not charged when one of them refuses', async () => {
    await using server = await start(
      quota('a', { pods: '5' }, { pods: '0' }),
      quota('b', { pods: '0' }, { pods: '0' }),
    );
    await expect(server.validate(creating('pods', pod({})))).rejects.toMatchObject({
      message: expect.stringContaining('exceeded quota: b') as string,
    });
    expect(await server.used('a')).toEqual({ pods: '0' });
  });
});

describe('scopes of quotas', () => {
  const bestEffort = pod({});
  const burstable = pod({ cpu: '1' });
  const ending = pod({}, { activeDeadlineSeconds: '60' } as unknown as Partial<PodSpec>);
  const important = pod({}, { priorityClassName: 'high' });
  const reaching = pod(
    {},
    {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', namespaces: ['other'] }],
        },
      },
    },
  );
  const priority = (operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist', values?: string[]): ResourceQuotaSpec => ({
    scopeSelector: {
      matchExpressions: [{ scopeName: 'PriorityClass', operator, ...(values === undefined ? {} : { values }) }],
    },
  });

  it.each([
    { name: 'BestEffort', spec: { scopes: ['BestEffort'] }, counted: bestEffort, left: burstable },
    { name: 'NotBestEffort', spec: { scopes: ['NotBestEffort'] }, counted: burstable, left: bestEffort },
    { name: 'Terminating', spec: { scopes: ['Terminating'] }, counted: ending, left: bestEffort },
    { name: 'NotTerminating', spec: { scopes: ['NotTerminating'] }, counted: bestEffort, left: ending },
    {
      name: 'CrossNamespacePodAffinity',
      spec: { scopes: ['CrossNamespacePodAffinity'] },
      counted: reaching,
      left: bestEffort,
    },
    {
      name: 'a class of priority, of several',
      spec: priority('In', ['high', 'low']),
      counted: important,
      left: bestEffort,
    },
    { name: 'any other class of priority', spec: priority('NotIn', ['high']), counted: bestEffort, left: important },
    { name: 'any class of priority', spec: priority('Exists'), counted: important, left: bestEffort },
    { name: 'no class of priority', spec: priority('DoesNotExist'), counted: bestEffort, left: important },
    {
      name: 'several scopes, all of which hold',
      spec: { scopes: ['BestEffort', 'Terminating'] },
      counted: ending,
      left: bestEffort,
    },
  ] satisfies { name: string; spec: ResourceQuotaSpec; counted: Pod; left: Pod }[])(
    'Scopes of quotas: $name',
    async ({ spec, counted, left }) => {
      await using server = await start(quota('q', { pods: '5' }, { pods: '0' }, spec));
      await server.validate(creating('pods', left));
      expect(await server.used('q')).toEqual({ pods: '0' });
      await server.validate(creating('pods', counted));
      expect(await server.used('q')).toEqual({ pods: '1' });
    },
  );

  it('Scopes of quotas are about pods alone', async () => {
    await using server = await start(
      quota('q', { 'count/configmaps': '0' }, { 'count/configmaps': '0' }, { scopes: ['NotTerminating'] }),
    );
    await expect(
      server.validate(creating('configmaps', { metadata: { name: 'm', namespace: 'team' } })),
    ).resolves.toBeUndefined();
  });
});

it('Writes at once never take more than there is', async () => {
  await using server = await start(quota('q', { pods: '3' }, { pods: '0' }));
  const answers = await Promise.allSettled(
    Array.from({ length: 8 }, (_, i) =>
      server.validate(creating('pods', { ...pod({}), metadata: { name: `p${i}`, namespace: 'team' } })),
    ),
  );
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  for (const answer of answers)
    if (answer.status === 'rejected')
      expect(answer.reason).toMatchObject({
        message: expect.stringContaining(
          'is forbidden: exceeded quota: q, requested: pods=1, used: pods=3, limited: pods=3',
        ) as string,
      });
  expect(await server.used('q')).toEqual({ pods: '3' });
});
