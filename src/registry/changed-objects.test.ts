/**
 * Upstream judges the changed objects of many kinds as new ones and then as changed ones: one mistake is two causes of
 * the answer.
 */
import { expect, test } from 'vitest';
import { KindRules } from '../../test/support/kind-rules.ts';

type Json = Record<string, unknown>;
type Changeable = { metadata: { labels?: Record<string, string> }; spec: Json };

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'nginx' }] } };
const workload = (): Json => ({
  metadata: { name: 'web' },
  spec: { selector: { matchLabels: { app: 'web' } }, template },
});
const claim = (): Json => ({
  metadata: { name: 'a' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
});
const negative = (member: string): string => `spec.${member}: Invalid value: -1: must be greater than or equal to 0`;

test.each([
  {
    kind: 'ReplicaSet',
    type: ['apps/v1', 'replicasets'],
    made: workload(),
    change: { minReadySeconds: -1 },
    error: negative('minReadySeconds'),
  },
  {
    kind: 'DaemonSet',
    type: ['apps/v1', 'daemonsets'],
    made: workload(),
    change: { revisionHistoryLimit: -1 },
    error: negative('revisionHistoryLimit'),
  },
  {
    kind: 'NetworkPolicy',
    type: ['networking.k8s.io/v1', 'networkpolicies'],
    made: { metadata: { name: 'a' }, spec: { podSelector: {} } },
    change: { ingress: [{ from: [{}] }] },
    error: 'spec.ingress[0].from[0]: Required value: must specify a peer',
  },
  {
    kind: 'PersistentVolumeClaim',
    type: ['v1', 'persistentvolumeclaims'],
    made: claim(),
    change: { accessModes: ['Often'] },
    error:
      'spec.accessModes: Unsupported value: "Often": supported values: "ReadOnlyMany", "ReadWriteMany", ' +
      '"ReadWriteOnce", "ReadWriteOncePod"',
  },
] as const)('$kind: a mistake in the spec is two causes', ({ type: [apiVersion, resource], made, change, error }) => {
  const { errors } = new KindRules<Changeable>(apiVersion, resource).edit(
    structuredClone(made) as Json,
    ({ spec }) => void Object.assign(spec, change),
  );
  expect(errors.filter((text) => text === error)).toHaveLength(2);
});

test.each([
  { kind: 'Namespace', type: ['v1', 'namespaces'], made: { metadata: { name: 'a' } } },
  { kind: 'ReplicaSet', type: ['apps/v1', 'replicasets'], made: workload() },
  {
    kind: 'NetworkPolicy',
    type: ['networking.k8s.io/v1', 'networkpolicies'],
    made: { metadata: { name: 'a' }, spec: { podSelector: {} } },
  },
] as const)(
  '$kind: a mistake in a label is a cause more than the three of every kind',
  ({ type: [apiVersion, resource], made }) => {
    const { errors } = new KindRules<Changeable>(apiVersion, resource).edit(
      structuredClone(made) as Json,
      ({ metadata }) => void (metadata.labels = { ...metadata.labels, 'bad key': 'x' }),
    );
    expect(errors.filter((text) => text.startsWith('metadata.labels: Invalid value: "bad key": '))).toHaveLength(4);
  },
);

test('A node whose status has an address twice cannot be changed', () => {
  const address = { type: 'InternalIP', address: '10.0.0.1' };
  const nodes = new KindRules<{ spec: Json }>('v1', 'nodes');
  const node = {
    metadata: { name: 'a' },
    status: { addresses: [address, { type: 'Hostname', address: '10.0.0.1' }, address] },
  };
  expect(nodes.create(structuredClone(node)).errors).toEqual([]);
  expect(nodes.edit(node, ({ spec }) => void (spec['unschedulable'] = true)).errors).toEqual([
    expect.stringMatching(/^status\.addresses\[2\]: Duplicate value: core\.NodeAddress\{/),
  ]);
});
