import { expect, test, vi } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { defaultControllerManagerOptions } from '../../../src/controllers/manager/options.ts';
import { startControllerCluster } from './controller-cluster.ts';

/** A namespaced resource whose objects may have any fields. */
async function define(client: Client, group: string, plural: string, kind: string, scale?: object): Promise<void> {
  const name = `${plural}.${group}`;
  const definitions = client.apiextensions.v1.customresourcedefinitions;
  await definitions.create({
    metadata: { name, annotations: { 'api-approved.kubernetes.io': 'https://example.com/approved' } },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [
        {
          name: group === 'example.com' ? 'v1' : 'v1beta1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          ...(scale === undefined ? {} : { subresources: { status: {}, scale } }),
        },
      ],
    },
  });
  await vi.waitFor(async () => {
    const { status } = await definitions.get(name);
    expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Established', status: 'True' }));
  }, 5000);
}

const labels = { app: 'web' };
const container = { name: 'app', image: 'app', resources: { requests: { cpu: '1' } } };

async function runPod(client: Client, name: string, owner?: object): Promise<void> {
  const pods = client.core.v1.pods.namespace('default');
  await pods.create({
    metadata: { name, labels, ...(owner === undefined ? {} : { ownerReferences: [owner] }) },
    spec: { containers: [container] },
  });
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2024-01-01T00:00:00Z' }];
  await pods.status.patch(name, {
    strategic: { status: { phase: 'Running', startTime: '2024-01-01T00:00:00Z', conditions } },
  });
}

test('The pods of a custom resource are budgeted by its scale', async () => {
  await using cluster = await startControllerCluster({ controllers: ['disruption-controller'] });
  const { client } = cluster;
  await define(client, 'example.com', 'fleets', 'Fleet', {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
  });
  const fleets = client.dynamic({ group: 'example.com', version: 'v1', resource: 'fleets' }).namespace('default');
  const fleet = await vi.waitFor(
    () =>
      fleets.create({
        ...{ apiVersion: 'example.com/v1', kind: 'Fleet', metadata: { name: 'web' }, spec: { replicas: 4 } },
      } as never),
    5000,
  );
  const { uid = '' } = fleet.metadata!;
  await runPod(client, 'a', { apiVersion: 'example.com/v1', kind: 'Fleet', name: 'web', uid, controller: true });
  const budgets = client.policy.v1.poddisruptionbudgets.namespace('default');
  await budgets.create({ metadata: { name: 'web' }, spec: { selector: { matchLabels: labels }, maxUnavailable: 3 } });
  await vi.waitFor(async () => {
    const { status } = await budgets.get('web');
    expect(status).toMatchObject({ expectedPods: 4, desiredHealthy: 1, currentHealthy: 1 });
  }, 5000);
});

test('A workload is scaled by the CPU that its pods use', async () => {
  await using cluster = await startControllerCluster({
    controllers: ['horizontal-pod-autoscaler-controller'],
    options: {
      horizontalPodAutoscaler: { ...defaultControllerManagerOptions.horizontalPodAutoscaler, syncPeriodMs: 100 },
    },
  });
  const { client } = cluster;
  await define(client, 'metrics.k8s.io', 'pods', 'PodMetrics');
  const metrics = client.dynamic({ group: 'metrics.k8s.io', version: 'v1beta1', resource: 'pods' });
  await runPod(client, 'a');
  await vi.waitFor(
    () =>
      metrics.namespace('default').create({
        ...{ apiVersion: 'metrics.k8s.io/v1beta1', kind: 'PodMetrics', metadata: { name: 'a', labels } },
        ...{ timestamp: '2024-01-01T01:00:00Z', window: '30s', containers: [{ name: 'app', usage: { cpu: '1500m' } }] },
      } as never),
    5000,
  );
  const sets = client.apps.v1.replicasets.namespace('default');
  const template = { metadata: { labels }, spec: { containers: [container] } };
  await sets.create({ metadata: { name: 'web' }, spec: { replicas: 1, selector: { matchLabels: labels }, template } });
  const autoscalers = client.autoscaling.v2.horizontalpodautoscalers.namespace('default');
  const target = { type: 'Utilization', averageUtilization: 50 };
  await autoscalers.create({
    metadata: { name: 'web' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web' },
      maxReplicas: 9,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
    },
  });
  await vi.waitFor(async () => expect((await sets.get('web')).spec?.replicas).toBe(3), 5000);
  await vi.waitFor(async () => {
    const { status } = await autoscalers.get('web');
    const current = { averageUtilization: 150, averageValue: '1500m' };
    expect(status?.currentMetrics).toEqual([{ type: 'Resource', resource: { name: 'cpu', current } }]);
    expect(status?.conditions?.map(({ type, status: is }) => `${type} ${is}`).sort()).toEqual([
      'AbleToScale True',
      'ScalingActive True',
      'ScalingLimited False',
    ]);
  }, 5000);
});
