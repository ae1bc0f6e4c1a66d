import { expect, test } from 'vitest';
import type { Pod, Volume } from '../../gen/types/core-v1.ts';
import { claimKeys, namedClaims } from './claims.ts';

const podWith = (volumes?: readonly Volume[]): Pod =>
  ({ metadata: { name: 'web', namespace: 'shop' }, spec: { containers: [], volumes } }) as unknown as Pod;
const claim = { name: 'data', persistentVolumeClaim: { claimName: 'orders' } };
const ephemeral = { name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: {} } } };

test.each([
  { name: 'no volumes', volumes: undefined, expected: [] },
  { name: 'volumes without a claim', volumes: [{ name: 'tmp', emptyDir: {} }], expected: [] },
  { name: 'a claim', volumes: [claim], expected: [{ key: 'shop/orders', name: 'orders', isEphemeral: false }] },
  {
    name: 'a claim that is made for it, and one that is not',
    volumes: [ephemeral, claim],
    expected: [
      { key: 'shop/web-scratch', name: 'web-scratch', isEphemeral: true },
      { key: 'shop/orders', name: 'orders', isEphemeral: false },
    ],
  },
  {
    name: 'a volume that names both, of which the claim counts',
    volumes: [{ ...ephemeral, ...claim }],
    expected: [{ key: 'shop/orders', name: 'orders', isEphemeral: false }],
  },
])('The claims of a pod with $name', ({ volumes, expected }) => {
  const pod = podWith(volumes as readonly Volume[] | undefined);
  expect(namedClaims(pod)).toEqual(expected);
  expect(claimKeys(pod)).toEqual(expected.map(({ key }) => key));
});

test('Pods without claims share one empty list of keys', () =>
  expect(claimKeys(podWith())).toBe(claimKeys(podWith([]))));
