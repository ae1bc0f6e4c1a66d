import { expect, test } from 'vitest';
import type { PersistentVolumeClaim, Pod } from '../../api/gen/types/core-v1.ts';
import { usesClaim } from './sync.ts';

const claim = (owner?: string): PersistentVolumeClaim => ({
  status: {},
  metadata: {
    name: owner === undefined ? 'data' : 'p-scratch',
    namespace: 'n',
    ...(owner === undefined ? {} : { ownerReferences: [{ kind: 'Pod', name: 'p', uid: owner, controller: true }] }),
  },
  spec: { resources: {} },
});

interface PodParts {
  readonly node?: string;
  readonly phase?: string;
  readonly ephemeral?: boolean;
  readonly namespace?: string;
}

const pod = ({ node = 'a', phase = 'Running', ephemeral = false, namespace = 'n' }: PodParts = {}): Pod =>
  ({
    metadata: { name: 'p', namespace, uid: 'u' },
    spec: {
      nodeName: node,
      volumes: ephemeral
        ? [{ name: 'scratch', ephemeral: {} }]
        : [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
    status: { phase },
  }) as unknown as Pod;

test.each([
  { name: 'that runs', pod: pod(), claim: claim(), uses: true },
  { name: 'that has ended, and is still there', pod: pod({ phase: 'Succeeded' }), claim: claim(), uses: true },
  { name: 'without a node', pod: pod({ node: '' }), claim: claim(), uses: false },
  { name: 'of another namespace', pod: pod({ namespace: 'm' }), claim: claim(), uses: false },
  { name: 'with a claim of its own', pod: pod({ ephemeral: true }), claim: claim('u'), uses: true },
  {
    name: 'with a claim of that name which is not its own',
    pod: pod({ ephemeral: true }),
    claim: claim('v'),
    uses: false,
  },
  {
    name: 'that has ended, with a claim of its own',
    pod: pod({ ephemeral: true, phase: 'Failed' }),
    claim: claim('u'),
    uses: false,
  },
])('A claim is kept for a pod $name: $uses', ({ pod: user, claim: used, uses }) => {
  expect(usesClaim(user, used)).toBe(uses);
});
