import { describe, expect, it } from 'vitest';
import type { ResourceQuota } from '../../api/gen/types/core-v1.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { areEqual, countedBy, isNew, isReplenished, measure, statusOf } from './sync.ts';

const podResources = { podLevel: false, fromStatus: false, overhead: true };
const nowMs = Date.parse('2026-01-31T10:00:00Z');
const quota = (hard: Record<string, string>, more: object = {}): ResourceQuota =>
  ({ metadata: { name: 'q', namespace: 'team' }, spec: { hard, ...more } }) as unknown as ResourceQuota;

const pod = (cpu: string | undefined, status: object = {}, metadata: object = {}): KubeObject =>
  ({
    metadata,
    spec: { containers: [{ name: 'a', resources: cpu === undefined ? {} : { requests: { cpu } } }] },
    status,
  }) as KubeObject;

describe('the resources that count under names of a quota', () => {
  it.each([
    {
      name: 'are those that are counted by number',
      names: ['count/deployments.apps', 'count/pods'],
      expected: ['deployments.apps', 'pods'],
    },
    {
      name: 'are pods for what they ask for',
      names: ['requests.cpu', 'limits.memory', 'requests.example.com/gpu'],
      expected: ['pods'],
    },
    {
      name: 'are claims for what is stored',
      names: ['requests.storage', 'gold.storageclass.storage.k8s.io/persistentvolumeclaims'],
      expected: ['persistentvolumeclaims'],
    },
    { name: 'are services for their ports', names: ['services.nodeports'], expected: ['services'] },
    { name: 'are none for a name without a meaning', names: ['example.com/none'], expected: [] },
  ])('The resources that count under names of a quota: $name', ({ names, expected }) => {
    expect(countedBy(names).map(({ group, resource }) => (group === '' ? resource : `${resource}.${group}`))).toEqual(
      expected,
    );
  });
});

describe('what is used of a quota', () => {
  const pods = { group: '', resource: 'pods' };
  const lost = pod('2', {}, { deletionTimestamp: '2026-01-31T09:00:00Z', deletionGracePeriodSeconds: 30 });

  it.each([
    {
      name: 'is the sum of all pods',
      of: quota({ pods: '9', 'requests.cpu': '9' }),
      objects: [pod('100m'), pod('1')],
      used: { pods: '2', 'requests.cpu': '1100m' },
    },
    {
      name: 'is nothing where there are none',
      of: quota({ pods: '9', 'requests.example.com/none': '1' }),
      objects: [],
      used: { pods: '0', 'requests.example.com/none': '0' },
    },
    {
      name: 'is only the number of pods that are over',
      of: quota({ 'count/pods': '9', pods: '9', cpu: '9' }),
      objects: [pod('1', { phase: 'Failed' })],
      used: { 'count/pods': '1', pods: '0', cpu: '0' },
    },
    {
      name: 'is only the number of pods that should have ended',
      of: quota({ 'count/pods': '9', pods: '9' }),
      objects: [lost],
      used: { 'count/pods': '1', pods: '0' },
    },
    {
      name: 'is that of pods in its scope',
      of: quota({ pods: '9' }, { scopes: ['BestEffort'] }),
      objects: [pod('1'), pod(undefined)],
      used: { pods: '1' },
    },
  ])('What is used of a quota: $name', ({ of, objects, used }) => {
    const measured = measure(of, { counted: pods, objects, podResources, nowMs });
    expect(Object.fromEntries([...measured].map(([name, amount]) => [name, amount.toString()]))).toEqual(used);
  });

  it('What is used of a quota is nothing of what has no scope, when the quota has one', () => {
    const counted = { group: '', resource: 'configmaps' };
    const measured = measure(quota({ configmaps: '9' }, { scopes: ['BestEffort'] }), {
      counted,
      objects: [{}],
      podResources,
      nowMs,
    });
    expect(measured.get('configmaps')?.toString()).toBe('0');
  });
});

describe('the status of a quota', () => {
  const measured = measure(quota({ pods: '9' }), {
    counted: { group: '', resource: 'pods' },
    objects: [pod('1')],
    podResources,
    nowMs,
  });

  it.each([
    {
      name: 'has limits and use',
      status: undefined,
      expected: { hard: { pods: '9', 'count/things.x': '1' }, used: { pods: '1' } },
    },
    {
      name: 'keeps what could not be measured',
      status: { hard: { pods: '9' }, used: { 'count/things.x': '3', pods: '0' } },
      expected: { hard: { pods: '9', 'count/things.x': '1' }, used: { pods: '1', 'count/things.x': '3' } },
    },
    {
      name: 'loses names without a limit',
      status: { hard: { secrets: '1' }, used: { secrets: '1', pods: '1' } },
      expected: { hard: { pods: '9', 'count/things.x': '1' }, used: { pods: '1' } },
    },
    {
      name: 'stays when it says so already',
      status: { hard: { pods: '9', 'count/things.x': '1' }, used: { pods: '1' } },
      expected: undefined,
    },
  ])('The status of a quota: $name', ({ status, expected }) => {
    const of = { ...quota({ pods: '9', 'count/things.x': '1' }), ...(status === undefined ? {} : { status }) };
    expect(statusOf(of as ResourceQuota, measured)).toEqual(expected);
  });

  it.each([
    { name: 'has none', status: undefined, expected: true },
    { name: 'has other limits', status: { hard: { pods: '1' }, used: { pods: '1' } }, expected: true },
    { name: 'has no use of a name', status: { hard: { pods: '9' }, used: {} }, expected: true },
    { name: 'is complete', status: { hard: { pods: '9' }, used: { pods: '1' } }, expected: false },
  ])('The status of a quota is measured first when it $name: $expected', ({ status, expected }) => {
    expect(isNew({ ...quota({ pods: '9' }), ...(status === undefined ? {} : { status }) } as ResourceQuota)).toBe(
      expected,
    );
  });

  it('The status of a quota is compared by amounts', () => {
    expect(areEqual({ cpu: '1' }, { cpu: '1000m' })).toBe(true);
    expect(areEqual({ cpu: '1' }, { cpu: '1', pods: '0' })).toBe(false);
  });
});

describe('something is given back', () => {
  const service = (type: string): KubeObject => ({ spec: { type, ports: [{}] } }) as KubeObject;
  const claim = (storage: string): KubeObject =>
    ({ metadata: {}, spec: { resources: { requests: { storage } } } }) as KubeObject;
  const of = (resource: string) => ({ group: '', resource });

  it.each([
    {
      name: 'by a pod that ends',
      counted: of('pods'),
      before: pod('1'),
      after: pod('1', { phase: 'Succeeded' }),
      expected: true,
    },
    {
      name: 'not by a pod that starts',
      counted: of('pods'),
      before: pod('1', { phase: 'Pending' }),
      after: pod('1', { phase: 'Running' }),
      expected: false,
    },
    {
      name: 'by a service that has no node ports any more',
      counted: of('services'),
      before: service('NodePort'),
      after: service('ClusterIP'),
      expected: true,
    },
    {
      name: 'not by a service that gets some',
      counted: of('services'),
      before: service('ClusterIP'),
      after: service('NodePort'),
      expected: false,
    },
    {
      name: 'not by a claim that grows',
      counted: of('persistentvolumeclaims'),
      before: claim('1Gi'),
      after: claim('2Gi'),
      expected: false,
    },
    {
      name: 'not by a change of anything else',
      counted: of('configmaps'),
      before: {},
      after: { kind: 'x' },
      expected: false,
    },
  ])('Something is given back: $name', ({ counted, before, after, expected }) => {
    expect(isReplenished(counted, before, after, { podResources, nowMs })).toBe(expected);
  });
});
