import { describe, expect, test } from 'vitest';
import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec } from '../../gen/types/autoscaling-v2.ts';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { validateAutoscaler, validateAutoscalerUpdate } from './validation.ts';

const autoscaler = (spec: Partial<HorizontalPodAutoscalerSpec> = {}): HorizontalPodAutoscaler => ({
  metadata: { name: 'web', namespace: 'n', resourceVersion: '1' },
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, minReplicas: 1, maxReplicas: 5, ...spec },
  status: {},
});

const external = {
  type: 'External',
  external: { metric: { name: 'q' }, target: { type: 'Value', value: '1' } },
} as const;

describe('HorizontalPodAutoscaler', () => {
  test.each([
    { name: 'accepts a plain one', spec: {}, scaleToZero: false, errors: [] },
    {
      name: 'refuses none at all while the gate is off',
      spec: { minReplicas: 0, metrics: [external] },
      scaleToZero: false,
      errors: ['spec.minReplicas: Invalid value: 0: must be greater than or equal to 1'],
    },
    {
      name: 'accepts none at all with an external metric',
      spec: { minReplicas: 0, metrics: [external] },
      scaleToZero: true,
      errors: [],
    },
    {
      name: 'refuses none at all with metrics of pods only',
      spec: { minReplicas: 0, metrics: [] },
      scaleToZero: true,
      errors: [
        'spec.metrics: Forbidden: must specify at least one Object or External metric to support ' +
          'scaling to zero replicas',
      ],
    },
    {
      name: 'refuses a name that is no path segment',
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'a/b' } },
      scaleToZero: false,
      errors: ['spec.scaleTargetRef.name: Invalid value: "a/b": may not contain \'/\''],
    },
    {
      name: 'refuses a window beyond an hour',
      spec: {
        behavior: {
          scaleDown: { stabilizationWindowSeconds: 3601, policies: [{ type: 'Pods', value: 1, periodSeconds: 1 }] },
        },
      },
      scaleToZero: false,
      errors: [
        'spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600',
      ],
    },
    {
      name: 'wants a container',
      spec: {
        metrics: [
          {
            type: 'ContainerResource',
            containerResource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 1 } },
          },
        ],
      },
      scaleToZero: false,
      errors: ['spec.metrics[0].containerResource.container: Required value: must specify a container'],
    },
  ])('HorizontalPodAutoscaler: $name', ({ spec, scaleToZero, errors }) => {
    expect(validateAutoscaler(autoscaler(spec), { scaleToZero }).map(fieldErrorText)).toEqual(errors);
  });

  test('HorizontalPodAutoscaler may go on with none at all when it had that before', () => {
    const spec = { minReplicas: 0, metrics: [external] };
    expect(
      validateAutoscalerUpdate(autoscaler({ ...spec, maxReplicas: 9 }), autoscaler(spec), { scaleToZero: false }),
    ).toEqual([]);
  });
});
