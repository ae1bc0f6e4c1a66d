import { describe, expect, it } from 'vitest';
import { KindRules } from '../../../test/support/kind-rules.ts';
import type { StatefulSet } from '../../api/gen/types/apps-v1.ts';
import { workload, statefulSets, type Json } from './testing/workloads.ts';

describe('a StatefulSet', () => {
  it('A StatefulSet has defaults, and claims that are whole objects', () => {
    const { spec } = statefulSets.create(
      workload({
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      }),
    ).object;
    expect(spec).toMatchObject({
      replicas: 1,
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 10,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      volumeClaimTemplates: [
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          spec: { volumeMode: 'Filesystem' },
          status: { phase: 'Pending' },
        },
      ],
    });
  });

  it.each([
    {
      name: 'managed in another way',
      spec: { podManagementPolicy: 'X' },
      errors: ["spec.podManagementPolicy: Invalid value: \"X\": must be 'OrderedReady' or 'Parallel'"],
    },
    {
      name: 'that deletes and rolls',
      spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } } },
      errors: [
        expect.stringMatching(
          /^spec\.updateStrategy\.rollingUpdate: Invalid value: .*only allowed for updateStrategy 'RollingUpdate'$/,
        ),
      ],
    },
    {
      name: 'that begins before its first',
      spec: { ordinals: { start: -1 } },
      errors: ['spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0'],
    },
    {
      name: 'that keeps claims somehow',
      spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: 'X' } },
      errors: [
        'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "X": supported values: ' +
          '"Retain", "Delete"',
      ],
    },
  ])('A StatefulSet is refused $name', ({ spec, errors }) => {
    expect(statefulSets.create(workload(spec)).errors).toEqual(errors);
  });

  it('A StatefulSet needs a name that fits into host names', () => {
    expect(statefulSets.create(workload({}, { metadata: { name: 'a.b' } })).errors).toEqual([
      'metadata.name: Invalid value: "a.b": must not contain dots',
    ]);
  });

  it('A StatefulSet keeps what its pods and claims are bound to', () => {
    const { errors } = statefulSets.edit(workload(), ({ spec }) => void (spec.serviceName = 'other'));
    expect(errors).toEqual([
      expect.stringMatching(/^spec: Forbidden: updates to statefulset spec for fields other than .* are forbidden$/),
    ]);
  });

  it('A StatefulSet loses maxUnavailable while its gate is off', () => {
    const spec = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } } };
    expect(statefulSets.create(workload(spec)).object.spec.updateStrategy.rollingUpdate).toEqual({ partition: 0 });
    const open = new KindRules<StatefulSet>('apps/v1', 'statefulsets', { gates: { MaxUnavailableStatefulSet: true } });
    expect(open.create(workload(spec)).object.spec.updateStrategy.rollingUpdate).toEqual({
      partition: 0,
      maxUnavailable: 2,
    });
  });
});

describe('a StatefulSet with claims', () => {
  const claims = [
    {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  ];
  const sent = (): Json => workload({ serviceName: 'web', volumeClaimTemplates: structuredClone(claims) });

  it('A StatefulSet with claims can be written back as it was read, and as it was sent', () => {
    expect(statefulSets.edit(sent(), () => undefined).errors).toEqual([]);
    expect(
      statefulSets.edit(
        sent(),
        ({ spec }) => void Object.assign(spec, { volumeClaimTemplates: structuredClone(claims) }),
      ).errors,
    ).toEqual([]);
  });
});
