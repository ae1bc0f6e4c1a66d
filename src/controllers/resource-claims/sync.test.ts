import { expect, test } from 'vitest';
import { claimFinalizer } from '../../api/resource/pod-claims.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { ResourceClaim, ResourceClaimTemplate } from '../../api/gen/types/resource-v1beta1.ts';
import { afterUse, claimFrom, isPodDone } from './sync.ts';

const [p, q] = ['p', 'q'].map((name) => ({ resource: 'pods', name, uid: `${name}-uid` }));
const allocation = { devices: {} };
const claim = (status: object, { held = true, ends = false } = {}): ResourceClaim =>
  ({
    metadata: {
      name: 'c',
      ...(held ? { finalizers: [claimFinalizer] } : {}),
      ...(ends ? { deletionTimestamp: '2024-01-01T00:00:00Z' } : {}),
    },
    spec: { devices: {} },
    status,
  }) as unknown as ResourceClaim;

test.each([
  {
    name: 'of a pod that is there stays',
    of: claim({ allocation, reservedFor: [p] }),
    valid: [p!],
    status: undefined,
    release: undefined,
  },
  {
    name: "of one pod of two is the other one's",
    of: claim({ allocation, reservedFor: [p, q] }),
    valid: [q!],
    status: { allocation, reservedFor: [q] },
    release: false,
  },
  {
    name: 'of a pod that is gone is allocated no more',
    of: claim({ allocation, reservedFor: [p] }),
    valid: [],
    status: {},
    release: true,
  },
  {
    name: 'that another allocated stays allocated',
    of: claim({ allocation, reservedFor: [p] }, { held: false }),
    valid: [],
    status: { allocation },
    release: false,
  },
  {
    name: 'that no pod uses yet stays allocated',
    of: claim({ allocation }),
    valid: [],
    status: undefined,
    release: undefined,
  },
  {
    name: 'that is deleted before its use is allocated no more',
    of: claim({ allocation }, { ends: true }),
    valid: [],
    status: {},
    release: true,
  },
  {
    name: 'that is deleted and not allocated goes',
    of: claim({}, { ends: true }),
    valid: [],
    status: undefined,
    release: true,
  },
  {
    name: 'that is deleted in use stays',
    of: claim({ allocation, reservedFor: [p] }, { ends: true }),
    valid: [p!],
    status: undefined,
    release: undefined,
  },
])('A claim $name', ({ of, valid, status, release }) => {
  const change = afterUse(of, valid);
  expect(change.status?.status).toEqual(status);
  expect(change.release).toBe(release);
});

const template = {
  spec: { metadata: { labels: { a: 'b' } }, spec: { devices: {} } },
} as unknown as ResourceClaimTemplate;
test.each([
  { name: 'of short names', pod: 'web', claim: 'gpu', base: 'web-gpu-' },
  { name: 'of long names', pod: 'p'.repeat(60), claim: 'c'.repeat(60), base: `${'p'.repeat(28)}-${'c'.repeat(28)}` },
])('The name of a claim $name begins with both', ({ pod, claim: name, base }) => {
  const owner = { metadata: { name: pod, namespace: 'n', uid: 'u' } } as Pod;
  const made = claimFrom(template, owner, { name });
  expect(made.metadata).toMatchObject({
    generateName: base,
    labels: { a: 'b' },
    annotations: { 'resource.kubernetes.io/pod-claim-name': name },
    ownerReferences: [{ kind: 'Pod', name: pod, uid: 'u', controller: true }],
  });
});

test.each([
  { name: 'runs', pod: { spec: { nodeName: 'n' }, status: { phase: 'Running' } }, done: false },
  { name: 'has ended', pod: { spec: { nodeName: 'n' }, status: { phase: 'Failed' } }, done: true },
  { name: 'was deleted before it had a node', pod: { metadata: { deletionTimestamp: 't' }, spec: {} }, done: true },
  { name: 'ends on its node', pod: { metadata: { deletionTimestamp: 't' }, spec: { nodeName: 'n' } }, done: false },
])('Whether a pod that $name is done', ({ pod, done }) => {
  expect(isPodDone({ metadata: {}, status: {}, ...pod } as unknown as Pod)).toBe(done);
});
