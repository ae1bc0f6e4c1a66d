import { KindRules } from '../../../../test/support/kind-rules.ts';
import { describe, expect, test } from 'vitest';
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../gen/types/core-v1.ts';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { validateClaimUpdate } from './validation.ts';

const beta = 'volume.beta.kubernetes.io/storage-class';

interface Options {
  readonly storage?: string;
  readonly bound?: boolean;
  readonly annotation?: string;
}

const claim = (
  spec: Partial<PersistentVolumeClaimSpec> = {},
  { storage = '2Gi', bound = false, annotation }: Options = {},
): PersistentVolumeClaim => ({
  metadata: {
    name: 'data',
    namespace: 'n',
    resourceVersion: '1',
    ...(annotation === undefined ? {} : { annotations: { [beta]: annotation } }),
  },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, volumeMode: 'Filesystem', ...spec },
  status: bound ? { phase: 'Bound', capacity: { storage: '1Gi' } } : { phase: 'Pending' },
});

const immutable =
  'spec: Forbidden: spec is immutable after creation except resources.requests and ' +
  'volumeAttributesClassName for bound claims';
const source = { kind: 'PersistentVolumeClaim', name: 'o' };
const allOff = { volumeAttributesClass: false, recoverFromExpansion: true };

describe('a changed PersistentVolumeClaim', () => {
  test.each([
    { name: 'may be the same', now: claim(), old: claim(), errors: [] },
    { name: 'may get a volume once', now: claim({ volumeName: 'v' }), old: claim(), errors: [] },
    {
      name: 'may not get another volume',
      now: claim({ volumeName: 'v' }),
      old: claim({ volumeName: 'o' }),
      errors: [immutable],
    },
    { name: 'may get a class once', now: claim({ storageClassName: 'fast' }), old: claim(), errors: [] },
    {
      name: 'may not get another class',
      now: claim({ storageClassName: 'fast' }),
      old: claim({ storageClassName: 'slow' }),
      errors: [immutable],
    },
    {
      name: 'may move its class from the annotation to the member',
      now: claim({ storageClassName: 'fast' }),
      old: claim({}, { annotation: 'fast' }),
      errors: [],
    },
    {
      name: 'may not change the annotation',
      now: claim({}, { annotation: 'b' }),
      old: claim({}, { annotation: 'a' }),
      errors: [`metadata.annotations.${beta}: Invalid value: "b": field is immutable`],
    },
    { name: 'may not grow before it is bound', now: claim({}, { storage: '3Gi' }), old: claim(), errors: [immutable] },
    {
      name: 'may grow when it is bound',
      now: claim({}, { storage: '3Gi', bound: true }),
      old: claim({}, { bound: true }),
      errors: [],
    },
    {
      name: 'may take growth back to more than it has',
      now: claim({}, { storage: '1500Mi', bound: true }),
      old: claim({}, { bound: true }),
      errors: [],
    },
    {
      name: 'may not shrink to what it has',
      now: claim({}, { storage: '1Gi', bound: true }),
      old: claim({}, { bound: true }),
      errors: ['spec.resources.requests.storage: Forbidden: field can not be less than status.capacity'],
    },
    {
      name: 'may say its source in both ways when the old one said it in one',
      now: claim({ dataSource: source, dataSourceRef: source }),
      old: claim({ dataSource: source }),
      errors: [],
    },
    {
      name: 'may not change its mode',
      now: claim({ volumeMode: 'Block' }),
      old: claim(),
      errors: [immutable, 'volumeMode: Invalid value: "Block": field is immutable'],
    },
  ])('A changed PersistentVolumeClaim: $name', ({ now, old, errors }) => {
    const texts = validateClaimUpdate(now, old, allOff).map((error) => fieldErrorText(error).split('\n')[0]);
    expect(texts).toEqual(errors);
  });

  test('A changed PersistentVolumeClaim may not shrink at all while a failed growth cannot be taken back', () => {
    const errors = validateClaimUpdate(claim({}, { storage: '1500Mi', bound: true }), claim({}, { bound: true }), {
      ...allOff,
      recoverFromExpansion: false,
    });
    expect(errors.map(fieldErrorText)).toEqual([
      'spec.resources.requests.storage: Forbidden: field can not be less than previous value',
    ]);
  });
});

test('A state of a resize that is not known is told by its resource, beside what is wrong with that', () => {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const old = { metadata: { name: 'c', namespace: 'x' }, spec };
  const status = { allocatedResourceStatuses: { cpu: 'Soon', 'example.com/a': 'NodeResizePending' } };
  const { errors } = new KindRules('v1', 'persistentvolumeclaims').update(old, { ...old, status }, 'status');
  expect(errors).toEqual([
    'status.allocatedResourceStatus: Unsupported value: "cpu": supported values: "storage"',
    'status.allocatedResourceStatus: Unsupported value: cpu: supported values: "ControllerResizeInProgress", ' +
      '"ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"',
  ]);
});
