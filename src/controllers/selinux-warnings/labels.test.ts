import { expect, test } from 'vitest';
import type { Container, Pod } from '../../api/gen/types/core-v1.ts';
import { labelOf, mountLabels, policyOf } from './labels.ts';

const container = (level: string | undefined, ...mounts: string[]): Container => ({
  name: 'c',
  resources: {},
  ...(level === undefined ? {} : { securityContext: { seLinuxOptions: { level } } }),
  volumeMounts: mounts.map((name) => ({ name, mountPath: `/${name}` })),
});

const podWith = (containers: Container[], securityContext = {}): Pod => ({
  metadata: { name: 'p', namespace: 'n' },
  spec: { containers, securityContext },
  status: {},
});

test.each([
  { title: 'none without a mount', containers: [container('s0')], is: [] },
  { title: 'none without options', containers: [container(undefined, 'v')], is: [['v', { label: '' }]] },
  { title: 'that of its container', containers: [container('s0:c1', 'v')], is: [['v', { label: ':::s0:c1' }]] },
  {
    title: 'that of the pod where the container says nothing',
    containers: [container(undefined, 'v'), container('s0:c2', 'w')],
    security: { seLinuxOptions: { level: 's0:c1' } },
    is: [
      ['v', { label: ':::s0:c1' }],
      ['w', { label: ':::s0:c2' }],
    ],
  },
  { title: 'several', containers: [container('s0:c1', 'v'), container('s0:c2', 'v')], is: [['v', 'several']] },
  {
    title: 'one that several containers want',
    containers: [container('s0:c1', 'v'), container('s0:c1', 'v')],
    is: [['v', { label: ':::s0:c1' }]],
  },
])('The label of a volume is $title', ({ containers, security, is }) => {
  expect([...mountLabels(podWith(containers, security))]).toEqual(is);
});

test('A label has four parts.', () => {
  expect(labelOf({ user: 'u', role: 'r', type: 't', level: 's0' })).toBe('u:r:t:s0');
});

test.each([
  { title: 'is MountOption by default', policy: undefined, isMountable: true, is: 'MountOption' },
  { title: 'is what the pod says', policy: 'Recursive' as const, isMountable: true, is: 'Recursive' },
  { title: 'is Recursive where the driver does not mount with labels', isMountable: false, is: 'Recursive' },
])('The policy $title', ({ policy, isMountable, is }) => {
  const security = policy === undefined ? {} : { seLinuxChangePolicy: policy };
  expect(policyOf(podWith([], security), isMountable)).toBe(is);
});
