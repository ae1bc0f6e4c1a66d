import { expect, test } from 'vitest';
import type { PersistentVolumeClaim, Pod } from '../../api/gen/types/core-v1.ts';
import { allMetrics, MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { claimMetrics } from './metrics.ts';
import { stepsFor, type VolumeStep } from './sync.ts';

const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

const ephemeral = (name: string, metadata?: object): object => ({
  name,
  ephemeral: { volumeClaimTemplate: { ...(metadata && { metadata }), spec } },
});

const pod = (volumes: readonly object[], metadata: object = {}): Pod =>
  ({ metadata: { name: 'p', namespace: 'n', uid: 'u', ...metadata }, spec: { volumes } }) as unknown as Pod;

const claim = (owner?: string, isController = true): PersistentVolumeClaim =>
  ({
    metadata: {
      name: 'p-scratch',
      namespace: 'n',
      ...(owner === undefined
        ? {}
        : { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: owner, controller: isController }] }),
    },
  }) as unknown as PersistentVolumeClaim;

const notOwner = 'PVC n/p-scratch was not created for pod n/p (pod is not owner)';

const shown = (step: VolumeStep): string =>
  step.do === 'create' ? `create ${step.claim.metadata?.name}` : `refuse ${step.volume}: ${step.problem}`;

interface Row {
  readonly name: string;
  readonly pod: Pod;
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly is: readonly string[];
}

test.each<Row>([
  {
    name: 'gets one for each ephemeral volume, in their order',
    pod: pod([ephemeral('scratch'), { name: 'data', persistentVolumeClaim: { claimName: 'd' } }, ephemeral('cache')]),
    is: ['create p-scratch', 'create p-cache'],
  },
  { name: 'gets none for a volume that it shares', pod: pod([{ name: 'empty', emptyDir: {} }]), is: [] },
  { name: 'gets none twice', pod: pod([ephemeral('scratch')]), claims: [claim('u')], is: [] },
  {
    name: 'does not use the claim of a user',
    pod: pod([ephemeral('scratch')]),
    claims: [claim()],
    is: [`refuse scratch: ${notOwner}`],
  },
  {
    name: 'does not use the claim of an earlier pod of its name',
    pod: pod([ephemeral('scratch')]),
    claims: [claim('u0')],
    is: [`refuse scratch: ${notOwner}`],
  },
  {
    name: 'does not use a claim of which it is an owner among others',
    pod: pod([ephemeral('scratch')]),
    claims: [claim('u', false)],
    is: [`refuse scratch: ${notOwner}`],
  },
  {
    name: 'that is being deleted gets none',
    pod: pod([ephemeral('scratch')], { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    is: [],
  },
])('Claims of ephemeral volumes: a pod $name', ({ pod: owner, claims = [], is }) => {
  const steps = stepsFor(owner, (name) => claims.find(({ metadata }) => metadata.name === name));
  expect(steps.map(shown)).toEqual(is);
});

test('A claim of an ephemeral volume is as the template says, and belongs to the pod', () => {
  const template = { labels: { app: 'web' }, annotations: { a: 'b' }, name: 'ignored' };
  const [step] = stepsFor(pod([ephemeral('scratch', template)]), () => undefined);
  expect(step).toEqual({
    volume: 'scratch',
    do: 'create',
    claim: {
      metadata: {
        name: 'p-scratch',
        namespace: 'n',
        labels: { app: 'web' },
        annotations: { a: 'b' },
        ownerReferences: [
          { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true, blockOwnerDeletion: true },
        ],
      },
      spec,
    },
  });
});

test('Claims that are made for ephemeral volumes are counted, and those that could not be', async () => {
  const registry = new MetricRegistry(allMetrics);
  const counted = claimMetrics(registry);
  await counted(() => Promise.resolve());
  await expect(counted(() => Promise.reject(new Error('full')))).rejects.toThrow('full');
  const text = await registry.metrics();
  expect(text).toContain('ephemeral_volume_controller_create_total 2');
  expect(text).toContain('ephemeral_volume_controller_create_failures_total 1');
});
