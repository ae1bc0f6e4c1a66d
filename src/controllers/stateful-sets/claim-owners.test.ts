import { describe, expect, it } from 'vitest';
import type { StatefulSet } from '../../api/gen/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/gen/types/core-v1.ts';
import type { OwnerReference } from '../../machinery/object-meta.ts';
import { hasOtherController, wantedOwners } from './claim-owners.ts';

type Policy = 'Retain' | 'Delete';

const setOf = (whenDeleted: Policy, whenScaled: Policy): StatefulSet => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db', uid: 'set' },
  spec: {
    replicas: 1,
    template: { metadata: {}, spec: {} },
    updateStrategy: {},
    persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
  },
  status: {},
});
const podOf = (ordinal: number): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `db-${ordinal}`, uid: 'pod' },
  spec: {},
  status: {},
});
const wanted = podOf(0);
const surplus = podOf(1);

const reference = (kind: string, name: string, uid: string, controller?: boolean): OwnerReference => ({
  apiVersion: kind === 'StatefulSet' ? 'apps/v1' : 'v1',
  kind,
  name,
  uid,
  ...(controller === undefined ? {} : { controller, blockOwnerDeletion: true }),
});
const bySet = reference('StatefulSet', 'db', 'set', true);
const byPod = (pod: Pod): OwnerReference => reference('Pod', pod.metadata.name!, 'pod', true);
const other = reference('ConfigMap', 'c', 'other');
const otherController = reference('Volume', 'v', 'other', true);

const claimOf = (ownerReferences: OwnerReference[]): PersistentVolumeClaim => ({
  metadata: { name: 'data-db-0', ownerReferences },
  spec: { resources: {} },
  status: {},
});
const none: OwnerReference[] = [];

describe('owners of the claims of a StatefulSet', () => {
  it.each([
    { name: 'none where claims are kept', set: setOf('Retain', 'Retain'), pod: wanted, has: none, expected: undefined },
    {
      name: 'none any more when claims are kept now',
      set: setOf('Retain', 'Retain'),
      pod: wanted,
      has: [bySet, other],
      expected: [other],
    },
    {
      name: 'the set where they go with it',
      set: setOf('Delete', 'Retain'),
      pod: wanted,
      has: none,
      expected: [bySet],
    },
    {
      name: 'the set, beside others',
      set: setOf('Delete', 'Retain'),
      pod: wanted,
      has: [other],
      expected: [other, bySet],
    },
    {
      name: 'the set also of a pod that is too many',
      set: setOf('Delete', 'Retain'),
      pod: surplus,
      has: [bySet],
      expected: undefined,
    },
    {
      name: 'no one while the pod is wanted',
      set: setOf('Retain', 'Delete'),
      pod: wanted,
      has: none,
      expected: undefined,
    },
    {
      name: 'no one again when the pod is wanted again',
      set: setOf('Retain', 'Delete'),
      pod: wanted,
      has: [byPod(wanted)],
      expected: [],
    },
    {
      name: 'the pod that is too many',
      set: setOf('Retain', 'Delete'),
      pod: surplus,
      has: none,
      expected: [byPod(surplus)],
    },
    {
      name: 'the pod in place of the set',
      set: setOf('Delete', 'Delete'),
      pod: surplus,
      has: [bySet],
      expected: [byPod(surplus)],
    },
    {
      name: 'a reference that does not control is made to',
      set: setOf('Delete', 'Retain'),
      pod: wanted,
      has: [reference('StatefulSet', 'db', 'set')],
      expected: [bySet],
    },
    {
      name: 'an earlier set of the same name is left to the garbage collector',
      set: setOf('Delete', 'Retain'),
      pod: wanted,
      has: [reference('StatefulSet', 'db', 'earlier', true)],
      expected: undefined,
    },
    {
      name: 'another controller is left alone',
      set: setOf('Delete', 'Delete'),
      pod: wanted,
      has: [otherController],
      expected: undefined,
    },
    {
      name: 'beside another controller there is no owner',
      set: setOf('Delete', 'Delete'),
      pod: wanted,
      has: [otherController, bySet],
      expected: [otherController],
    },
  ])('Owners of the claims of a StatefulSet: $name', ({ set, pod, has, expected }) =>
    expect(wantedOwners(set, pod, claimOf(has))).toEqual(expected),
  );

  it.each([
    { name: 'is another object', policy: 'Delete', has: [otherController], expected: true },
    { name: 'is an earlier pod', policy: 'Delete', has: [reference('Pod', 'db-0', 'earlier', true)], expected: true },
    { name: 'is no object that owns only', policy: 'Delete', has: [other, bySet], expected: false },
    { name: 'does not matter where claims are kept', policy: 'Retain', has: [otherController], expected: false },
  ] as const)('Another controller of a claim $name', ({ policy, has, expected }) =>
    expect(hasOtherController(setOf(policy, 'Retain'), wanted, claimOf([...has]))).toBe(expected),
  );
});
