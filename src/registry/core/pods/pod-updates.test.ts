import { describe, expect, it } from 'vitest';
import { KindRules } from '../../../../test/support/kind-rules.ts';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { pods, pod, withContainer } from './testing/pods.ts';

describe('fields behind feature gates', () => {
  it.each([
    {
      gate: 'UserNamespacesSupport',
      json: pod({ hostUsers: false }),
      read: ({ spec }: Pod) => spec.hostUsers,
      value: false,
    },
    {
      gate: 'PodLevelResources',
      json: pod({ resources: { limits: { cpu: '1' } } }),
      read: ({ spec }: Pod) => spec.resources,
      value: { limits: { cpu: '1' }, requests: { cpu: '1' } },
    },
    {
      gate: 'SupplementalGroupsPolicy',
      json: pod({ securityContext: { supplementalGroupsPolicy: 'Strict' } }),
      read: ({ spec }: Pod) => spec.securityContext?.supplementalGroupsPolicy,
      value: 'Strict',
    },
    {
      gate: 'InPlacePodVerticalScaling',
      json: withContainer({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }),
      read: ({ spec }: Pod) => spec.containers![0]!.resizePolicy,
      value: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
    },
    {
      gate: 'DynamicResourceAllocation',
      json: pod({ resourceClaims: [{ name: 'a', resourceClaimName: 'b' }] }),
      read: ({ spec }: Pod) => spec.resourceClaims,
      value: [{ name: 'a', resourceClaimName: 'b' }],
    },
    {
      gate: 'PodLifecycleSleepAction',
      json: withContainer({ lifecycle: { preStop: { sleep: { seconds: 5 } } } }),
      read: ({ spec }: Pod) => spec.containers![0]!.lifecycle?.preStop?.sleep,
      value: { seconds: 5 },
    },
    {
      gate: 'RecursiveReadOnlyMounts',
      json: withContainer(
        { volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: true, recursiveReadOnly: 'IfPossible' }] },
        { volumes: [{ name: 'v' }] },
      ),
      read: ({ spec }: Pod) => spec.containers![0]!.volumeMounts![0]!.recursiveReadOnly,
      value: 'IfPossible',
    },
    {
      gate: 'ImageVolume',
      json: withContainer(
        { volumeMounts: [{ name: 'v', mountPath: '/v' }] },
        { volumes: [{ name: 'v', image: { reference: 'i', pullPolicy: 'Always' } }] },
      ),
      read: ({ spec }: Pod) => spec.volumes?.[0]?.image ?? spec.containers![0]!.volumeMounts?.[0],
      value: { reference: 'i', pullPolicy: 'Always' },
    },
  ])(
    'Fields behind feature gates: $gate: kept while it is on, dropped while it is off',
    ({ gate, json, read, value }) => {
      const on = new KindRules<Pod>('v1', 'pods', { gates: { [gate]: true } }).create(json);
      expect({ errors: on.errors, value: read(on.object) }).toEqual({ errors: [], value });
      const off = new KindRules<Pod>('v1', 'pods', { gates: { [gate]: false } }).create(json);
      expect({ errors: off.errors, value: read(off.object) }).toEqual({ errors: [], value: undefined });
    },
  );
});

describe('an update of a pod', () => {
  it.each([
    { name: 'an image', edit: ({ spec }: Pod) => void (spec.containers![0]!.image = 'other') },
    { name: 'labels', edit: ({ metadata }: Pod) => void (metadata.labels = { a: 'b' }) },
    { name: 'a shorter deadline', edit: ({ spec }: Pod) => void (spec.activeDeadlineSeconds = 50) },
    {
      name: 'one more toleration',
      edit: ({ spec }: Pod) =>
        void (spec.tolerations = [...(spec.tolerations ?? []), { key: 'a', operator: 'Exists' }]),
    },
  ])('An update of a pod may change $name', ({ edit }) => {
    expect(pods.edit(pod({ activeDeadlineSeconds: 100 }), edit).errors).toEqual([]);
  });

  const fixed = /^spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`/;
  it.each([
    {
      name: 'commands',
      edit: ({ spec }: Pod) => void (spec.containers![0]!.command = ['a']),
      errors: [expect.stringMatching(fixed)],
    },
    {
      name: 'the number of containers',
      edit: ({ spec }: Pod) => void spec.containers!.push({ ...spec.containers![0]!, name: 'b' }),
      errors: ['spec.containers: Forbidden: pod updates may not add or remove containers'],
    },
    {
      name: 'a longer deadline',
      edit: ({ spec }: Pod) => void (spec.activeDeadlineSeconds = 200),
      errors: ['spec.activeDeadlineSeconds: Invalid value: 200: must be less than or equal to previous value'],
    },
    {
      name: 'fewer tolerations',
      edit: ({ spec }: Pod) => void (spec.tolerations = []),
      errors: [
        expect.stringMatching(
          /^spec\.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds/,
        ),
      ],
    },
    {
      name: 'gates',
      edit: ({ spec }: Pod) => void (spec.schedulingGates = [{ name: 'a' }]),
      errors: ["spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'a'"],
    },
    {
      name: 'the uid',
      edit: ({ metadata }: Pod) => void (metadata.uid = 'other'),
      errors: Array<string>(2).fill('metadata.uid: Invalid value: "other": field is immutable'),
    },
  ])('An update of a pod may not change $name', ({ edit, errors }) => {
    expect(
      pods.edit(pod({ activeDeadlineSeconds: 100, tolerations: [{ key: 'x', operator: 'Exists' }] }), edit).errors,
    ).toEqual(errors);
  });

  const gated = pod({ schedulingGates: [{ name: 'a' }], nodeSelector: { a: 'b' } });
  it.each([
    { name: 'open its gates', edit: ({ spec }: Pod) => void (spec.schedulingGates = undefined), errors: [] },
    {
      name: 'narrow where it may run',
      edit: ({ spec }: Pod) => void (spec.nodeSelector = { a: 'b', c: 'd' }),
      errors: [],
    },
    {
      name: 'run elsewhere',
      edit: ({ spec }: Pod) => void (spec.nodeSelector = { a: 'c' }),
      errors: [
        expect.stringMatching(/^spec\.nodeSelector: Invalid value: .*only additions to spec\.nodeSelector are allowed/),
      ],
    },
  ])('An update of a pod with scheduling gates: $name', ({ edit, errors }) => {
    expect(pods.edit(gated, edit).errors).toEqual(errors);
  });
});

describe('how long a deleted pod may take', () => {
  it.each([
    { name: 'one without a node', json: pod(), requested: undefined, seconds: 0 },
    { name: 'one with a node', json: pod({ nodeName: 'n' }), requested: undefined, seconds: 30 },
    { name: 'one with a node, asked for less', json: pod({ nodeName: 'n' }), requested: 5, seconds: 5 },
    { name: 'one with a node, asked for less than nothing', json: pod({ nodeName: 'n' }), requested: -5, seconds: 1 },
    {
      name: 'one that has failed',
      json: { ...pod({ nodeName: 'n' }), status: { phase: 'Failed' } },
      requested: undefined,
      seconds: 0,
    },
  ])('How long a deleted pod may take: $name: $seconds s', ({ json, requested, seconds }) => {
    expect(pods.gracePeriodSeconds(json, requested)).toBe(seconds);
  });
});
