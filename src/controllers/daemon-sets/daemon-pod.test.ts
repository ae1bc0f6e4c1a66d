import { describe, expect, it } from 'vitest';
import type { DaemonSet } from '../../api/gen/types/apps-v1.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { daemonTemplate, daemonTolerations, generationOf, isUpdated, targetNodeOf } from './daemon-pod.ts';

const setOf = (generation?: string): DaemonSet => ({
  metadata: {
    name: 'agent',
    ...(generation === undefined ? {} : { annotations: { 'deprecated.daemonset.template.generation': generation } }),
  },
  spec: {
    template: {
      metadata: { labels: { app: 'agent' } },
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [] }] },
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: {} }],
          },
          podAntiAffinity: {},
        },
      },
    },
    updateStrategy: {},
  },
  status: {},
});

describe('daemon pods', () => {
  it('Daemon pods are made for one node, with the labels of their revision', () => {
    const { metadata, spec } = daemonTemplate(setOf('7'), 'abc')('n1');
    expect(metadata.labels).toEqual({
      app: 'agent',
      'pod-template-generation': '7',
      'controller-revision-hash': 'abc',
    });
    expect(spec.affinity).toEqual({
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: {} }],
      },
      podAntiAffinity: {},
    });
    expect(targetNodeOf({ metadata: {}, spec, status: {} })).toBe('n1');
  });

  it.each([
    { name: 'the node that it is bound to', spec: { nodeName: 'n2' }, expected: 'n2' },
    { name: 'no node where it says none', spec: {}, expected: undefined },
  ])('The node of a daemon pod: $name is looked at', ({ spec, expected }) =>
    expect(targetNodeOf({ metadata: {}, spec, status: {} })).toBe(expected),
  );

  it.each([
    ['7', '7'],
    ['+7', '7'],
    ['x', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('The generation %s of the template is %s', (text, expected) => expect(generationOf(setOf(text))).toBe(expected));

  const labelled = (labels: Partial<Record<string, string>>): Pod => ({
    metadata: { labels: labels as Record<string, string> },
    spec: {},
    status: {},
  });

  it.each([
    { name: 'the hash', labels: { 'controller-revision-hash': 'abc' }, generation: undefined, expected: true },
    { name: 'the generation', labels: { 'pod-template-generation': '7' }, generation: '7', expected: true },
    { name: 'neither', labels: { 'pod-template-generation': '6' }, generation: '7', expected: false },
    { name: 'no labels', labels: {}, generation: undefined, expected: false },
  ])('Daemon pods are up to date by $name: $expected', ({ labels, generation, expected }) =>
    expect(isUpdated(labelled(labels), 'abc', generation)).toBe(expected),
  );

  it('Daemon pods keep tolerations of the template, and have each once', () => {
    const own = { key: 'x', operator: 'Exists' as const };
    const same = { key: 'node.kubernetes.io/not-ready', operator: 'Exists' as const, effect: 'NoExecute' as const };
    const keys = daemonTolerations({ tolerations: [own, { ...same, tolerationSeconds: 5 }] });
    expect(keys.map(({ key }) => key?.replace('node.kubernetes.io/', ''))).toEqual([
      'x',
      'not-ready',
      'unreachable',
      'disk-pressure',
      'memory-pressure',
      'pid-pressure',
      'unschedulable',
    ]);
    expect(keys[1]).toEqual(same);
  });
});
