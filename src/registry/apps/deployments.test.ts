import { describe, expect, it } from 'vitest';
import { joined } from '../../../test/support/patterns.ts';
import { template, workload, deployments } from './testing/workloads.ts';

describe('a Deployment', () => {
  it('A Deployment gets the defaults of apps/v1', () => {
    expect(deployments.create(workload()).object.spec).toMatchObject({
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    });
  });

  it.each([
    {
      name: 'that recreates and rolls',
      spec: { strategy: { type: 'Recreate', rollingUpdate: {} } },
      errors: ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
    },
    {
      name: 'that cannot go on',
      spec: { strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } },
      errors: [
        'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: ' +
          'intstr.IntOrString{Type:0, IntVal:0, StrVal:""}: may not be 0 ' +
          'when `maxSurge` is 0',
      ],
    },
    {
      name: 'that takes away more than all',
      spec: { strategy: { rollingUpdate: { maxUnavailable: '101%' } } },
      errors: [
        'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: ' +
          'intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not ' +
          'be greater than 100%',
      ],
    },
    {
      name: 'with a share that is none',
      spec: { strategy: { rollingUpdate: { maxSurge: 'a' } } },
      errors: [
        expect.stringMatching(
          joined(
            /^spec\.strategy\.rollingUpdate\.maxSurge: Invalid value: .*a valid percent string must be a numeric /,
            /string followed by an ending '%'/,
          ),
        ),
      ],
    },
    {
      name: 'that gives up before a pod is ready',
      spec: { minReadySeconds: 10, progressDeadlineSeconds: 10 },
      errors: ['spec.progressDeadlineSeconds: Invalid value: 10: must be greater than minReadySeconds'],
    },
  ])('A Deployment is refused $name', ({ spec, errors }) => {
    expect(deployments.create(workload(spec)).errors).toEqual(errors);
  });

  it('A Deployment refuses a change of its selector', () => {
    const { errors } = deployments.edit(
      workload({ template: { ...template, metadata: { labels: { app: 'web', tier: 'a' } } } }),
      ({ spec }) => void (spec.selector = { matchLabels: { tier: 'a' } }),
    );
    expect(errors).toEqual([
      'spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"tier":"a"}, ' +
        'MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: field is immutable',
    ]);
  });

  it('A Deployment counts changes of annotations, which go on to its ReplicaSets', () => {
    expect(
      deployments.edit(workload(), ({ metadata }) => void (metadata.annotations = { a: 'b' })).object.metadata
        .generation,
    ).toBe(2);
  });

  it.each([
    {
      name: 'more ready than there are',
      status: { replicas: 1, readyReplicas: 2 },
      errors: ['status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas'],
    },
    {
      name: 'more available than ready',
      status: { replicas: 2, readyReplicas: 1, availableReplicas: 2 },
      errors: ['status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas'],
    },
    {
      name: 'fewer collisions than before',
      old: { collisionCount: 2 },
      status: { collisionCount: 1 },
      errors: ['status.collisionCount: Invalid value: 1: cannot be decremented'],
    },
    {
      name: 'less than nothing',
      status: { unavailableReplicas: -1 },
      errors: ['status.unavailableReplicas: Invalid value: -1: must be greater than or equal to 0'],
    },
  ])('A Deployment cannot report $name', ({ old = {}, status, errors }) => {
    expect(
      deployments.edit(workload({}, { status: old }), (read) => void Object.assign(read, { status }), 'status').errors,
    ).toEqual(errors);
  });
});
