import { describe, expect, it } from 'vitest';
import type { StatefulSet } from '../../api/gen/types/apps-v1.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { newClaims, newPod, ordinalOf, repairedPod } from './identity.ts';

const claimed = (claimName: string) => ({ name: 'data', persistentVolumeClaim: { claimName } });
const template = {
  metadata: { labels: { app: 'db' } },
  spec: { volumes: [{ name: 'tmp', emptyDir: {} }, claimed('else')] },
};
const set: StatefulSet = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db', namespace: 'default', uid: 'set' },
  spec: {
    serviceName: 'dbs',
    selector: { matchLabels: { app: 'db' } },
    template,
    volumeClaimTemplates: [
      {
        metadata: { name: 'data', labels: { tier: 'gold', app: 'other' }, annotations: { note: 'x' } },
        spec: { resources: { requests: { storage: '1Gi' } } },
        status: {},
      },
    ],
    updateStrategy: {},
  },
  status: {},
};

const named = (name: string): Pod => ({ metadata: { name }, spec: {}, status: {} });

describe('the identity of a stateful pod', () => {
  it.each([
    ['db-0', 0],
    ['db-12', 12],
    ['db-2147483647', 2147483647],
    ['db-2147483648', undefined],
    ['db-01', undefined],
    ['db', undefined],
    ['db-', undefined],
    ['db-x', undefined],
    ['other-0', undefined],
    ['db-db-0', undefined],
  ])('The ordinal of %s is %s', (name, ordinal) => expect(ordinalOf(set, named(name))).toBe(ordinal));

  it('The identity of a stateful pod is in its name, its labels, its host name and its claims', () => {
    expect(newPod(set, 2, template, 'db-abc')).toEqual({
      metadata: {
        name: 'db-2',
        generateName: 'db-',
        namespace: 'default',
        labels: {
          app: 'db',
          'statefulset.kubernetes.io/pod-name': 'db-2',
          'apps.kubernetes.io/pod-index': '2',
          'controller-revision-hash': 'db-abc',
        },
        ownerReferences: [
          {
            apiVersion: 'apps/v1',
            kind: 'StatefulSet',
            name: 'db',
            uid: 'set',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: {
        hostname: 'db-2',
        subdomain: 'dbs',
        volumes: [claimed('data-db-2'), { name: 'tmp', emptyDir: {} }],
      },
    });
  });

  it('The identity of a stateful pod gives its claims a name, and the labels of the selector', () => {
    expect(newClaims(set, 2)).toEqual([
      {
        metadata: {
          name: 'data-db-2',
          namespace: 'default',
          labels: { tier: 'gold', app: 'db' },
          annotations: { note: 'x' },
        },
        spec: { resources: { requests: { storage: '1Gi' } } },
      },
    ]);
  });

  const whole: Pod = {
    metadata: { name: 'db-2', labels: { 'statefulset.kubernetes.io/pod-name': 'db-2' } },
    spec: { volumes: [claimed('data-db-2')] },
    status: {},
  };

  it('The identity of a stateful pod is left as it is when nothing is missing', () =>
    expect(repairedPod(set, whole)).toBeUndefined());

  it('The identity of a stateful pod is repaired in the labels alone when the claims are there', () => {
    const repaired = repairedPod(set, { ...whole, metadata: { name: 'db-2', labels: { app: 'db' } } });
    expect(repaired?.metadata.labels).toEqual({
      app: 'db',
      'statefulset.kubernetes.io/pod-name': 'db-2',
      'apps.kubernetes.io/pod-index': '2',
    });
    expect(repaired?.spec).toBe(whole.spec);
  });

  it('The identity of a stateful pod is repaired in the volumes when they have other claims', () => {
    const repaired = repairedPod(set, { ...whole, spec: { volumes: [claimed('data-db-7')] } });
    expect(repaired?.spec.volumes).toEqual([claimed('data-db-2')]);
  });
});
