import {
  setStorageClassDefaults,
  validateStorageClass,
  validateStorageClassUpdate,
  validateVolumeAttributesClass,
  validateVolumeAttributesClassUpdate,
} from '../../api/storage/classes.ts';
import { nodeLabelWarning } from '../../api/core/pods/warnings.ts';
import type { StorageClass } from '../../api/gen/types/storage-v1.ts';
import type { VolumeAttributesClass } from '../../api/gen/types/storage-v1beta1.ts';
import { ageCell } from '../../api/table/cells.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import type { ObjectMeta } from '../../machinery/object-meta.ts';
import { defineResource, type VersionRules } from '../strategy.ts';

const group = 'storage.k8s.io';

/** The second is what it was called while in beta. */
const defaultClassAnnotations = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

const classNameCell = ({ name = '', annotations }: ObjectMeta, defaults: readonly string[]): string =>
  defaults.some((key) => annotations?.[key] === 'true') ? `${name} (default)` : name;

function* topologyWarnings({ allowedTopologies = [] }: StorageClass): Generator<string> {
  const field = FieldPath.of('allowedTopologies');
  for (const [i, { matchLabelExpressions = [] }] of allowedTopologies.entries()) {
    for (const [j, { key = '' }] of matchLabelExpressions.entries()) {
      const text = nodeLabelWarning(key);
      if (text !== undefined)
        yield `${field.index(i).child('matchLabelExpressions').index(j).child('key')}: ${key} is ${text}`;
    }
  }
}

export const storageClasses = defineResource<StorageClass>({
  group,
  resource: 'storageclasses',
  versions: { v1: { defaults: setStorageClassDefaults } as VersionRules },
  strategy: {
    validate: validateStorageClass,
    warningsOnCreate: topologyWarnings,
    validateUpdate: validateStorageClassUpdate,
    warningsOnUpdate: topologyWarnings,
  },
  returnDeletedObject: true,
  table: {
    cells: (object, { now }) => [
      classNameCell(object.metadata, defaultClassAnnotations),
      object.provisioner ?? '',
      object.reclaimPolicy ?? 'Delete',
      object.volumeBindingMode ?? 'Immediate',
      object.allowVolumeExpansion === true,
      ageCell(object.metadata.creationTimestamp, now),
    ],
  },
});

/** Served in beta only, and off by default. */
export const volumeAttributesClasses = defineResource<VolumeAttributesClass>({
  group,
  resource: 'volumeattributesclasses',
  strategy: { validate: validateVolumeAttributesClass, validateUpdate: validateVolumeAttributesClassUpdate },
  returnDeletedObject: true,
  table: {
    cells: ({ metadata, driverName }, { now }) => [
      classNameCell(metadata, ['volumeattributesclass.alpha.kubernetes.io/is-default-class']),
      driverName ?? '',
      ageCell(metadata.creationTimestamp, now),
    ],
  },
});
