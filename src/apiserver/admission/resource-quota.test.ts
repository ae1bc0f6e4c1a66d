import { describe, expect, it } from 'vitest';
import type {
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  ResourceQuota,
  ResourceQuotaSpec,
  Service,
} from '../../api/gen/types/core-v1.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { AdmissionAttributes } from '../../registry/admission.ts';
import { attributesFor } from './testing/attributes.ts';
import { type QuotaServer, startQuotaServer } from './testing/quota-server.ts';

type Amounts = Readonly<Record<string, string>>;

const now = (): Date => new Date('2026-01-01T00:00:00Z');
const quota = (name: string, hard: Amounts, used: Amounts, spec: ResourceQuotaSpec = {}): ResourceQuota => ({
  metadata: { name },
  spec: { hard: { ...hard }, ...spec },
  status: { hard: { ...hard }, used: { ...used } },
});
const start = (...quotas: ResourceQuota[]): Promise<QuotaServer> => startQuotaServer(quotas, now);

const pod = (requests: Amounts, spec: Partial<PodSpec> = {}): Pod =>
  ({
    metadata: { name: 'p', namespace: 'team' },
    spec: { containers: [{ name: 'c', resources: { requests: { ...requests } } }], ...spec },
    status: {},
  }) as unknown as Pod;
/** A node has given this much to the container. */
const running = (object: Pod, cpu: string): Pod => ({
  ...object,
  status: { containerStatuses: [{ name: 'c', resources: { requests: { cpu } } }] } as unknown as Pod['status'],
});
const service = (spec: object): Service =>
  ({
    metadata: { name: 's', namespace: 'team', resourceVersion: '1' },
    spec: { ports: [{ port: 80 }], ...spec },
  }) as Service;
const claim = (storage: string, spec: object = {}): PersistentVolumeClaim =>
  ({
    metadata: { name: 'c', namespace: 'team', resourceVersion: '1' },
    spec: { resources: { requests: { storage } }, ...spec },
    status: {},
  }) as PersistentVolumeClaim;

const creating = (resource: string, object: KubeObject, more: Partial<AdmissionAttributes> = {}): AdmissionAttributes =>
  attributesFor(resource, object, more);
const on = {
  podLevel: ['PodLevelResources'],
  resize: ['InPlacePodVerticalScaling'],
};
const updating = (resource: string, oldObject: KubeObject, object: KubeObject): AdmissionAttributes =>
  attributesFor(resource, object, { operation: 'UPDATE', oldObject });

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
  ])('$name', async ({ used, attributes, expected }) => {
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
  ])('$name costs nothing', async ({ attributes }) => {
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
  ])('$name', async ({ gates, cpu, attributes }) => {
    await using server = await startQuotaServer([quota('q', { cpu: '10' }, { cpu: '0' })], now, gates);
    await server.validate(attributes);
    expect(await server.used('q')).toEqual({ cpu });
  });

  it('what is over the limit already does not keep an object from shrinking', async () => {
    await using server = await start(quota('q', { 'requests.storage': '1Gi' }, { 'requests.storage': '3Gi' }));
    await expect(
      server.validate(updating('persistentvolumeclaims', claim('3Gi'), claim('2Gi'))),
    ).resolves.toBeUndefined();
  });

  it('every quota of the namespace, and no other', async () => {
    await using server = await start(
      quota('a', { pods: '2' }, { pods: '0' }),
      quota('b', { pods: '3' }, { pods: '1' }),
      { ...quota('c', { pods: '0' }, { pods: '0' }), metadata: { name: 'c', namespace: 'other' } },
    );
    await server.validate(creating('pods', pod({})));
    expect([await server.used('a'), await server.used('b')]).toEqual([{ pods: '1' }, { pods: '2' }]);
  });

  it('the server is the owner of the status that it writes', async () => {
    await using server = await start(quota('q', { pods: '2' }, { pods: '0' }));
    await server.validate(creating('pods', pod({})));
    expect((await server.get('q')).metadata.managedFields).toMatchObject([
      { manager: 'kube-apiserver', operation: 'Update', subresource: 'status', time: '2026-01-01T00:00:00Z' },
    ]);
  });
});

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
  ])('$name', async ({ hard, used, attributes, message }) => {
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
  ])('$name', async ({ gates, refused }) => {
    await using server = await startQuotaServer([quota('q', { cpu: '10' }, { cpu: '0' })], now, gates);
    const object = pod({}, { resources: { requests: { cpu: '1' } } });
    const message = 'pods "p" is forbidden: failed quota: q: must specify cpu for: c';
    const answer = server.validate(creating('pods', object));
    await (refused ? expect(answer).rejects.toMatchObject({ message }) : expect(answer).resolves.toBeUndefined());
  });

  it('charges no quota when one of them refuses', async () => {
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
    '$name',
    async ({ spec, counted, left }) => {
      await using server = await start(quota('q', { pods: '5' }, { pods: '0' }, spec));
      await server.validate(creating('pods', left));
      expect(await server.used('q')).toEqual({ pods: '0' });
      await server.validate(creating('pods', counted));
      expect(await server.used('q')).toEqual({ pods: '1' });
    },
  );

  it('are about pods alone', async () => {
    await using server = await start(
      quota('q', { 'count/configmaps': '0' }, { 'count/configmaps': '0' }, { scopes: ['NotTerminating'] }),
    );
    await expect(
      server.validate(creating('configmaps', { metadata: { name: 'm', namespace: 'team' } })),
    ).resolves.toBeUndefined();
  });
});

it('writes at once never take more than there is', async () => {
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
