import { expect, test } from 'vitest';
import type { ClusterTrustBundle } from '../../api/gen/types/certificates-v1alpha1.ts';
import { bundleActions, bundleOf } from './sync.ts';

const right = bundleOf('CA') as ClusterTrustBundle;
const old = bundleOf('old CA') as ClusterTrustBundle;
const changed = { ...right, spec: { ...right.spec, trustBundle: 'other' } };
const nothing = { create: false, update: undefined, remove: [] };

test('A bundle has the signer and a hash of the authority in its name', () => {
  expect(right.metadata.name).toMatch(/^kubernetes\.io:kube-apiserver-serving:[0-9a-f]{24}$/);
});

test.each([
  { name: 'is made', present: [], actions: { ...nothing, create: true } },
  { name: 'is left as it is', present: [right], actions: nothing },
  { name: 'gets its authority back', present: [changed], actions: { ...nothing, update: right } },
  {
    name: 'takes the place of that of an older authority',
    present: [old],
    actions: { create: true, update: undefined, remove: [old.metadata.name] },
  },
])('The bundle of the API server $name', ({ present, actions }) => {
  expect(bundleActions(present, 'CA')).toEqual(actions);
});
