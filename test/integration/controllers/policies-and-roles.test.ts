import { expect, test, vi } from 'vitest';
import { startControllerCluster } from './controller-cluster.ts';

const timeoutMs = 10_000;

test('A cluster role has the rules of those that it selects, and follows them', async () => {
  await using cluster = await startControllerCluster({ controllers: ['clusterrole-aggregation'] });
  const { clusterroles } = cluster.client.rbac.v1;
  const rule = (verb: string) => ({ apiGroups: [''], resources: ['pods'], verbs: [verb] });
  const rulesBecome = (verbs: readonly string[]): Promise<void> =>
    vi.waitFor(async () => expect((await clusterroles.get('all')).rules).toEqual(verbs.map(rule)), timeoutMs);
  await clusterroles.create({
    metadata: { name: 'all' },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: 'all' } }] },
  });
  await clusterroles.create({ metadata: { name: 'one', labels: { to: 'all' } }, rules: [rule('get')] });
  await rulesBecome(['get']);
  await clusterroles.patch('one', { merge: { rules: [rule('get'), rule('list')] } });
  await rulesBecome(['get', 'list']);
});

test('A policy says where its expressions do not fit, by the types that the server publishes', async () => {
  await using cluster = await startControllerCluster({ controllers: ['validatingadmissionpolicy-status-controller'] });
  const { validatingadmissionpolicies } = cluster.client.admissionregistration.v1;
  await validatingadmissionpolicies.create({
    metadata: { name: 'replicas' },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] },
        ],
      },
      validations: [
        {
          expression: "object.spec.template.spec.containers.all(c, c.image != 'a' && c.ports[0].hostPort > 1)",
        },
        {
          expression:
            "object.metadata.name == 'b' && object.metadata.creationTimestamp > timestamp('2026-01-01T00:00:00Z')",
        },
        { expression: 'object.spec.replicas2 <= 5' },
      ],
    },
  } as never);
  await vi.waitFor(async () => {
    const { status } = await validatingadmissionpolicies.get('replicas');
    expect(status?.typeChecking?.expressionWarnings?.map(({ fieldRef }) => fieldRef)).toEqual([
      'spec.validations[2].expression',
    ]);
  }, timeoutMs);
});
