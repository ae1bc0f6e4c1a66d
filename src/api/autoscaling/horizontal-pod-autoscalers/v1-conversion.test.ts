import { describe, expect, test } from 'vitest';
import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus } from '../../gen/types/autoscaling-v2.ts';
import { autoscalerFromV2, autoscalerToV2 } from './v1-conversion.ts';
import { metricFromV1, metricStatusFromV1, metricStatusToV1, metricToV1 } from './v1-metrics.ts';

const autoscaler = (
  spec: Partial<HorizontalPodAutoscaler['spec']> = {},
  status: HorizontalPodAutoscaler['status'] = {},
): HorizontalPodAutoscaler => ({
  metadata: { name: 'web' },
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, minReplicas: 1, maxReplicas: 5, ...spec },
  status,
});

const cpu = (averageUtilization: number): MetricSpec => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
});
const describedObject = { kind: 'Ingress', name: 'i', apiVersion: 'networking.k8s.io/v1' };
const selector = { matchLabels: { a: 'b' } };

const metrics: [string, MetricSpec][] = [
  ['resource by use', cpu(50)],
  [
    'resource by amount',
    { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '100Mi' } } },
  ],
  [
    'resource of a container',
    {
      type: 'ContainerResource',
      containerResource: { name: 'cpu', container: 'app', target: { type: 'Utilization', averageUtilization: 70 } },
    },
  ],
  [
    'pods',
    { type: 'Pods', pods: { metric: { name: 'rps', selector }, target: { type: 'AverageValue', averageValue: '10' } } },
  ],
  [
    'object by value',
    { type: 'Object', object: { describedObject, metric: { name: 'rps' }, target: { type: 'Value', value: '100' } } },
  ],
  [
    'object by average',
    {
      type: 'Object',
      object: { describedObject, metric: { name: 'rps' }, target: { type: 'AverageValue', averageValue: '7' } },
    },
  ],
  [
    'external by value',
    { type: 'External', external: { metric: { name: 'q' }, target: { type: 'Value', value: '3' } } },
  ],
  [
    'external by average',
    {
      type: 'External',
      external: { metric: { name: 'q', selector }, target: { type: 'AverageValue', averageValue: '30' } },
    },
  ],
];

const statuses: [string, MetricStatus][] = [
  [
    'resource',
    { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 40, averageValue: '40m' } } },
  ],
  ['pods', { type: 'Pods', pods: { metric: { name: 'rps' }, current: { averageValue: '7' } } }],
  ['object', { type: 'Object', object: { describedObject, metric: { name: 'rps' }, current: { value: '77' } } }],
  [
    'container',
    {
      type: 'ContainerResource',
      containerResource: { name: 'cpu', container: 'app', current: { averageUtilization: 5, averageValue: '1m' } },
    },
  ],
];

describe('metrics of autoscaling/v1', () => {
  test.each(metrics)('Metrics of autoscaling/v1 come back as they were: %s', (_, metric) => {
    expect(metricFromV1(metricToV1(metric))).toEqual(metric);
  });

  test.each(statuses)('Metrics of autoscaling/v1 come back as they were, current: %s', (_, metric) => {
    expect(metricStatusFromV1(metricStatusToV1(metric))).toEqual(metric);
  });
});

describe('autoscaling/v2 read as v1', () => {
  test('A HorizontalPodAutoscaler read as v1 has the use of CPU as a member, the rest in annotations', () => {
    const v1 = autoscalerFromV2(autoscaler({ metrics: [metrics[3]![1], cpu(50)] }));
    expect(v1.spec.targetCPUUtilizationPercentage).toBe(50);
    expect(JSON.parse(v1.metadata.annotations!['autoscaling.alpha.kubernetes.io/metrics']!)).toEqual([
      { type: 'Pods', pods: { metricName: 'rps', targetAverageValue: '10', selector } },
    ]);
  });

  test('A HorizontalPodAutoscaler read as v1 has no annotations when there is nothing to put there', () => {
    const stored = autoscaler({ metrics: [cpu(50)] });
    stored.metadata.annotations = { 'autoscaling.alpha.kubernetes.io/behavior': '{}' };
    expect(autoscalerFromV2(stored).metadata.annotations).toBeUndefined();
  });

  test('A HorizontalPodAutoscaler of v2 that is read as v1 does not change what it is given', () => {
    const stored = autoscaler(
      { metrics: [metrics[3]![1]], behavior: { scaleUp: {} } },
      { conditions: [{ type: 'AbleToScale', status: 'True' }] },
    );
    const before = structuredClone(stored);
    autoscalerFromV2(stored);
    expect(stored).toEqual(before);
  });

  test('A HorizontalPodAutoscaler of v2 that is read as v1 and taken back loses nothing', () => {
    const stored = autoscaler(
      {
        metrics: [...metrics.slice(1).map(([, metric]) => metric), cpu(50)],
        behavior: {
          scaleUp: {
            stabilizationWindowSeconds: 10,
            selectPolicy: 'Min',
            policies: [{ type: 'Pods', value: 2, periodSeconds: 30 }],
          },
        },
      },
      {
        currentReplicas: 3,
        currentMetrics: statuses.map(([, status]) => status),
        conditions: [{ type: 'AbleToScale', status: 'True', reason: 'R' }],
      },
    );
    stored.metadata.annotations = { mine: 'stays' };
    expect(JSON.parse(JSON.stringify(autoscalerToV2(autoscalerFromV2(stored))))).toEqual(
      JSON.parse(JSON.stringify(stored)),
    );
  });
});

describe('autoscaling/v1 taken as v2', () => {
  const v1 = (annotations: Record<string, string>, targetCPUUtilizationPercentage?: number) => ({
    metadata: { name: 'web', annotations },
    spec: { scaleTargetRef: {}, maxReplicas: 5, targetCPUUtilizationPercentage },
    status: {},
  });

  test.each([
    { name: 'that is no JSON', text: 'x' },
    { name: 'that is no list', text: '{}' },
    { name: 'with a member of the wrong type', text: '[{"type":"Resource","resource":{"name":5}}]' },
  ])('autoscaling/v1 taken as v2 ignores an annotation $name', ({ text }) => {
    const { metadata, spec } = autoscalerToV2(v1({ 'autoscaling.alpha.kubernetes.io/metrics': text }));
    expect(spec.metrics).toEqual([cpu(80)]);
    expect(metadata.annotations).toBeUndefined();
  });

  test('A HorizontalPodAutoscaler of v1 that is taken as v2 puts the use of CPU behind the other metrics', () => {
    const { spec } = autoscalerToV2(
      v1(
        {
          'autoscaling.alpha.kubernetes.io/metrics':
            '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}}]',
        },
        70,
      ),
    );
    expect(spec.metrics?.map(({ resource }) => resource?.name)).toEqual(['memory', 'cpu']);
  });

  test('A HorizontalPodAutoscaler of v1 that is taken as v2 reads behavior with capital members', () => {
    const { spec } = autoscalerToV2(
      v1({
        'autoscaling.alpha.kubernetes.io/behavior':
          '{"ScaleUp":{"Policies":[{"Type":"Pods","Value":3,"PeriodSeconds":9}]},"ScaleDown":null}',
      }),
    );
    expect(spec.behavior).toEqual({ scaleUp: { policies: [{ type: 'Pods', value: 3, periodSeconds: 9 }] } });
  });
});
