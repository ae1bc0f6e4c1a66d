import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../gen/types/core-v1.ts';
import { qosClassOf } from './qos.ts';

const all = { cpu: '1', memory: '1Gi' };
const container = (
  requests?: Record<string, string>,
  limits?: Record<string, string>,
): NonNullable<PodSpec['containers']>[number] => ({ resources: { requests, limits } }) as never;

describe('the quality of service class of a pod', () => {
  it.each([
    { name: 'asks for nothing', spec: { containers: [container(), container({ cpu: '0' })] }, expected: 'BestEffort' },
    {
      name: 'asks for other things only',
      spec: { containers: [container({ 'ephemeral-storage': '1Gi' })] },
      expected: 'BestEffort',
    },
    {
      name: 'is limited in everything it asks for',
      spec: { containers: [container(all, all)] },
      expected: 'Guaranteed',
    },
    {
      name: 'writes the same amount in two ways',
      spec: { containers: [container({ cpu: '1000m', memory: '1Gi' }, all)] },
      expected: 'Guaranteed',
    },
    {
      name: 'asks for less than its limit',
      spec: { containers: [container({ cpu: '1', memory: '1Mi' }, all)] },
      expected: 'Burstable',
    },
    {
      name: 'is limited in one resource',
      spec: { containers: [container({ cpu: '1' }, { cpu: '1' })] },
      expected: 'Burstable',
    },
    {
      name: 'has one container without limits',
      spec: { containers: [container(all, all), container()] },
      expected: 'Burstable',
    },
    {
      name: 'has an init container without limits',
      spec: { containers: [container(all, all)], initContainers: [container()] },
      expected: 'Burstable',
    },
    {
      name: 'is limited as a whole, its containers not',
      spec: { containers: [container()], resources: { requests: all, limits: all } },
      expected: 'Guaranteed',
    },
  ])('The quality of service class of a pod: $expected when it $name', ({ spec, expected }) => {
    expect(qosClassOf(spec as PodSpec, true)).toBe(expected);
  });

  it('The QoS class of a pod is that of its containers where pods have no resources of their own', () => {
    expect(qosClassOf({ containers: [container()], resources: { requests: all, limits: all } } as PodSpec, false)).toBe(
      'BestEffort',
    );
  });
});
