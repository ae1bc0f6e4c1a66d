import { describe, expect, it } from 'vitest';
import { template, workload, statefulSets, type Json } from './testing/workloads.ts';
import { deployments, replicaSets, daemonSets, revisions, controllers } from './testing/workloads.ts';

describe('columns', () => {
  const created = { name: 'web', creationTimestamp: '2026-01-01T03:04:05Z' };
  const object = (status: Json, spec: Json = {}): Json => workload(spec, { metadata: created, status });
  it.each([
    {
      kind: 'Deployment',
      rules: deployments,
      json: object({ replicas: 3, readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 }, { replicas: 3 }),
      cells: ['web', '2/3', 3, 1, '24h', 'app', 'nginx', 'app=web'],
    },
    {
      kind: 'ReplicaSet',
      rules: replicaSets,
      json: object({ replicas: 2, readyReplicas: 1 }, { replicas: 3 }),
      cells: ['web', 3, 2, 1, '24h', 'app', 'nginx', 'app=web'],
    },
    {
      kind: 'StatefulSet',
      rules: statefulSets,
      json: object({ replicas: 2, readyReplicas: 1 }, { replicas: 2 }),
      cells: ['web', '1/2', '24h', 'app', 'nginx'],
    },
    {
      kind: 'DaemonSet',
      rules: daemonSets,
      json: object({
        desiredNumberScheduled: 5,
        currentNumberScheduled: 4,
        numberReady: 3,
        updatedNumberScheduled: 2,
        numberAvailable: 1,
      }),
      cells: ['web', 5, 4, 3, 2, 1, '<none>', '24h', 'app', 'nginx', 'app=web'],
    },
    {
      kind: 'ReplicationController',
      rules: controllers,
      json: { metadata: created, spec: { replicas: 2, template }, status: { replicas: 1 } },
      cells: ['web', 2, 1, 0, '24h', 'app', 'nginx', 'app=web'],
    },
    {
      kind: 'ControllerRevision',
      rules: revisions,
      cells: ['r', 'daemonset.apps/web', 3, '24h'],
      json: {
        metadata: {
          ...created,
          name: 'r',
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'web', uid: 'u', controller: true }],
        },
        revision: 3,
      },
    },
  ])('Columns of a $kind', ({ rules, json, cells }) => {
    expect(rules.cells(json)).toEqual(cells);
  });
});
