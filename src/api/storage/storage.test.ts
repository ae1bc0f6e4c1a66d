import { describe, expect, test } from 'vitest';
import type { CSINodeDriver, StorageClass, VolumeAttachment } from '../gen/types/storage-v1.ts';
import { fieldErrorText } from '../../machinery/field-error.ts';
import { gathered } from '../../machinery/field-errors.ts';
import {
  validateVolumeAttributesClass,
  validateVolumeAttributesClassUpdate,
} from './volume-attributes-classes/validation.ts';
import { validateStorageClass, validateStorageClassUpdate } from './storage-classes/validation.ts';
import { validateCsiNodeUpdate } from './csi-nodes/validation.ts';
import { validateCsiStorageCapacity, validateCsiStorageCapacityUpdate } from './csi-storage-capacities/validation.ts';
import { validateCsiDriver } from './csi-drivers/validation.ts';
import { validateVolumeAttachment, validateVolumeAttachmentUpdate } from './volume-attachments/validation.ts';

const metadata = { name: 'x', resourceVersion: '1' };
const storageClass = (members: Partial<StorageClass> = {}): StorageClass => ({
  metadata,
  provisioner: 'x.example.com/p',
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
  ...members,
});
const topology = (...values: string[]) => ({ matchLabelExpressions: [{ key: 'zone', values }] });

describe('StorageClass', () => {
  test.each<{ name: string; members: Partial<StorageClass>; errors: string[] }>([
    { name: 'takes a provisioner in capitals', members: { provisioner: 'X.example.com/P' }, errors: [] },
    {
      name: 'has at most 256 KiB of parameters',
      members: { parameters: { a: 'x'.repeat(256 * 1024) } },
      errors: ['parameters: Too long: may not be more than 262144 bytes'],
    },
    {
      name: 'says each topology once, in whatever order',
      members: { allowedTopologies: [topology('a', 'b'), topology('b', 'a')] },
      errors: ['allowedTopologies[1].matchLabelExpressions: Duplicate value: ""'],
    },
    {
      name: 'has no topology without expressions',
      members: { allowedTopologies: [topology('a'), {}] },
      errors: Array<string>(2).fill('allowedTopologies[1].matchLabelExpressions: Duplicate value: ""'),
    },
    {
      name: 'wants values in a topology',
      members: { allowedTopologies: [topology()] },
      errors: ['allowedTopologies[0].matchLabelExpressions[0].values: Required value'],
    },
  ])('StorageClass: $name', ({ members, errors }) => {
    expect(validateStorageClass(storageClass(members)).map(fieldErrorText)).toEqual(errors);
  });

  test('StorageClass is judged in little time, and with few errors for a term, however many terms it has', () => {
    const of = (count: number, term: () => object): number =>
      gathered(() => validateStorageClass(storageClass({ allowedTopologies: Array.from({ length: count }, term) })))
        .length;
    expect([of(100_000, () => ({})), of(100_000, () => topology('a'))]).toEqual([256, 256]);
  });

  test('StorageClass may say that it has no parameters', () => {
    expect(validateStorageClassUpdate(storageClass({ parameters: {} }), storageClass())).toEqual([]);
  });

  test('StorageClass may not change its provisioner', () => {
    expect(validateStorageClassUpdate(storageClass({ provisioner: 'y' }), storageClass()).map(fieldErrorText)).toEqual([
      'provisioner: Forbidden: updates to provisioner are forbidden.',
    ]);
  });
});

test('A VolumeAttributesClass has parameters, and keeps them', () => {
  const attributes = { metadata, driverName: 'd.example.com', parameters: { a: 'b' } };
  expect(validateVolumeAttributesClass({ ...attributes, parameters: undefined }).map(fieldErrorText)).toEqual([
    'parameters: Required value: must contain at least one key/value pair',
  ]);
  expect(
    validateVolumeAttributesClassUpdate({ ...attributes, parameters: { a: 'c' } }, attributes).map(fieldErrorText),
  ).toEqual(['parameters: Forbidden: updates to parameters are forbidden.']);
});

test('A CSIDriver asks for one token per audience', () => {
  const spec = {
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'File',
    tokenRequests: [{ audience: 'a' }, { audience: 'a', expirationSeconds: 1 }],
  };
  expect(validateCsiDriver({ metadata, spec }).map(fieldErrorText)).toEqual([
    'spec.tokenRequests[1].audience: Duplicate value: "a"',
  ]);
});

describe('CSINode', () => {
  const node = (...drivers: CSINodeDriver[]) => ({ metadata, spec: { drivers } });
  const driver = { name: 'd.example.com', nodeID: 'n' };

  test.each([
    { name: 'may lose a driver', now: node(), old: node(driver), fields: [] },
    { name: 'may get a driver', now: node(driver), old: node(), fields: [] },
    {
      name: 'may not change a driver',
      now: node({ ...driver, nodeID: 'o' }),
      old: node(driver),
      fields: ['CSINodeDriver'],
    },
  ])('CSINode: $name', ({ now, old, fields }) => {
    expect(validateCsiNodeUpdate(now, old).map(({ field }) => field)).toEqual(fields);
  });
});

test('A CSIStorageCapacity keeps what it is about', () => {
  const capacity = { metadata: { ...metadata, namespace: 'n' }, storageClassName: 'fast', capacity: '1Gi' };
  expect(validateCsiStorageCapacityUpdate({ ...capacity, capacity: '2Gi' }, capacity)).toEqual([]);
  expect(
    validateCsiStorageCapacityUpdate({ ...capacity, storageClassName: 'slow', nodeTopology: {} }, capacity).map(
      ({ field }) => field,
    ),
  ).toEqual(['nodeTopology', 'storageClassName']);
});

test('A CSIStorageCapacity tells a negative capacity once, and does not judge the largest volume', () => {
  const capacity = { metadata: { ...metadata, namespace: 'n' }, storageClassName: 'A B' };
  const negative = {
    ...capacity,
    capacity: '-1',
    maximumVolumeSize: '-1',
    nodeTopology: { matchLabels: { 'a b': '' } },
  };
  expect(validateCsiStorageCapacity(negative).map(({ field }) => field)).toEqual([
    'nodeTopology.matchLabels',
    'storageClassName',
    'capacity',
  ]);
});

describe('VolumeAttachment', () => {
  const rules = { volumeAttributesClass: false };
  const attachment = (spec: Partial<VolumeAttachment['spec']> = {}): VolumeAttachment => ({
    metadata,
    spec: { attacher: 'd.example.com', nodeName: 'n', source: { persistentVolumeName: 'v' }, ...spec },
    status: {},
  });

  test.each([
    { name: 'takes one source', spec: {}, errors: [] },
    {
      name: 'refuses two sources',
      spec: { source: { persistentVolumeName: 'v', inlineVolumeSpec: {} } },
      errors: ['spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName'],
    },
    {
      name: 'wants the attacher to be a driver',
      spec: { attacher: 'a_b' },
      errors: [expect.stringContaining('spec.attacher: Invalid value: "a_b"')],
    },
  ])('VolumeAttachment: $name', ({ spec, errors }) => {
    expect(validateVolumeAttachment(attachment(spec), rules).map(fieldErrorText)).toEqual(errors);
  });

  test('The spec of a VolumeAttachment is immutable', () => {
    expect(
      validateVolumeAttachmentUpdate(attachment({ nodeName: 'o' }), attachment(), rules).map(({ field }) => field),
    ).toEqual(['spec']);
  });
});
