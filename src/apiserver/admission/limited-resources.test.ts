import { describe, expect, it } from 'vitest';
import type { ResourceQuota } from '../../api/gen/types/core-v1.ts';
import type { AdmissionAttributes } from '../../registry/admission.ts';
import type { LimitedResource } from './configuration/plugin-configuration.ts';
import { claim, creating, now, pod, quota, updating } from './testing/quota-objects.ts';
import { startQuotaServer } from './testing/quota-server.ts';

const limited = (resource: string, more: Partial<LimitedResource>): LimitedResource => ({
  apiGroup: '',
  resource,
  matchContains: [],
  matchScopes: [],
  ...more,
});
const gold = limited('persistentvolumeclaims', { matchContains: ['gold.storageclass.storage.k8s.io'] });
const highPods = limited('pods', {
  matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high', 'top'] }],
});
const goldClaim = claim('1Gi', { storageClassName: 'gold' });
const highPod = pod({}, { priorityClassName: 'high' });
const goldQuota = quota(
  'q',
  { 'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '5' },
  { 'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '0' },
);
const scoped = quota(
  'q',
  { pods: '5' },
  { pods: '0' },
  { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'Exists' }] } },
);

interface Row {
  readonly name: string;
  readonly limits: readonly LimitedResource[];
  readonly quotas: readonly ResourceQuota[];
  readonly attributes: AdmissionAttributes;
}

const uncoveredClaim =
  'persistentvolumeclaims "c" is forbidden: insufficient quota to consume: ' +
  'gold.storageclass.storage.k8s.io/persistentvolumeclaims,gold.storageclass.storage.k8s.io/requests.storage';
const uncoveredPod = 'insufficient quota to match these scopes: [{PriorityClass In [high top]}]';

describe('uses that need a quota which covers them', () => {
  it.each<Row & { readonly code: number; readonly message: string }>([
    {
      name: 'a claim of a limited class without any quota',
      limits: [gold],
      quotas: [],
      attributes: creating('persistentvolumeclaims', goldClaim),
      code: 403,
      message: uncoveredClaim,
    },
    {
      name: 'a claim of a limited class whose size no quota covers',
      limits: [gold],
      quotas: [goldQuota],
      attributes: creating('persistentvolumeclaims', goldClaim),
      code: 403,
      message:
        'persistentvolumeclaims "c" is forbidden: insufficient quota to consume: ' +
        'gold.storageclass.storage.k8s.io/requests.storage',
    },
    {
      name: 'a claim of a limited class that grows',
      limits: [gold],
      quotas: [],
      attributes: updating('persistentvolumeclaims', goldClaim, claim('2Gi', { storageClassName: 'gold' })),
      code: 403,
      message: uncoveredClaim,
    },
    {
      name: 'a pod of a limited scope without a quota of that scope',
      limits: [highPods],
      quotas: [quota('q', { pods: '5' }, { pods: '0' })],
      attributes: creating('pods', highPod),
      code: 500,
      message: uncoveredPod,
    },
  ])('$name is refused', async ({ limits, quotas, attributes, code, message }) => {
    await using server = await startQuotaServer(quotas, now, [], limits);
    await expect(server.validate(attributes)).rejects.toMatchObject({ code, message });
  });

  it.each<Row>([
    {
      name: 'a claim of another class',
      limits: [gold],
      quotas: [],
      attributes: creating('persistentvolumeclaims', claim('1Gi', { storageClassName: 'silver' })),
    },
    {
      name: 'a claim of a limited class that does not grow',
      limits: [gold],
      quotas: [],
      attributes: updating('persistentvolumeclaims', goldClaim, goldClaim),
    },
    {
      name: 'a pod of a limited scope with a quota of that scope',
      limits: [highPods],
      quotas: [scoped],
      attributes: creating('pods', highPod),
    },
    { name: 'a pod outside of the scope', limits: [highPods], quotas: [], attributes: creating('pods', pod({})) },
    {
      name: 'an object of another resource',
      limits: [limited('pods', { matchContains: ['count/'] })],
      quotas: [],
      attributes: creating('configmaps', { metadata: { name: 'm', namespace: 'team' } }),
    },
  ])('$name is admitted', async ({ limits, quotas, attributes }) => {
    await using server = await startQuotaServer(quotas, now, [], limits);
    await expect(server.validate(attributes)).resolves.toBeUndefined();
  });
});
