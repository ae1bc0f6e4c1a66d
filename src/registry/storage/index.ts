import { setCsiDriverDefaults } from '../../api/storage/csi-drivers/validation.ts';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from '../../api/gen/types/storage-v1.ts';
import { ageCell } from '../../api/table/cells.ts';
import { setStorageClassDefaults } from '../../api/storage/storage-classes/validation.ts';
import type { VolumeAttributesClass } from '../../api/gen/types/storage-v1beta1.ts';
import type { ObjectMeta } from '../../machinery/object-meta.ts';
import { setPersistentVolumeSourceDefaults } from '../../api/core/persistent-volumes/defaults.ts';
import { type Cell, defineResource, type ResourceDefinition, type VersionRules } from '../strategy.ts';
import { csiDriverStrategy } from './csi-drivers/strategy.ts';
import { csiNodeStrategy } from './csi-nodes/strategy.ts';
import { csiStorageCapacityStrategy } from './csi-storage-capacities/strategy.ts';
import { storageClassStrategy } from './storage-classes/strategy.ts';
import { volumeAttributesClassStrategy } from './volume-attributes-classes/strategy.ts';
import { volumeAttachmentStatusStrategy, volumeAttachmentStrategy } from './volume-attachments/strategy.ts';

const group = 'storage.k8s.io';

function driverCells({ metadata, spec }: CSIDriver, now: Date): Cell[] {
  const { tokenRequests, volumeLifecycleModes = [] } = spec;
  return [
    metadata.name ?? '',
    spec.attachRequired ?? true,
    spec.podInfoOnMount ?? false,
    spec.storageCapacity ?? false,
    tokenRequests === undefined ? '<unset>' : tokenRequests.map(({ audience = '' }) => audience).join(','),
    spec.requiresRepublish ?? false,
    volumeLifecycleModes.length === 0 ? '<none>' : volumeLifecycleModes.join(','),
    ageCell(metadata.creationTimestamp, now),
  ];
}

const csiDrivers = defineResource<CSIDriver>({
  group,
  resource: 'csidrivers',
  versions: { v1: { defaults: setCsiDriverDefaults } as VersionRules },
  strategy: csiDriverStrategy,
  returnDeletedObject: true,
  table: { cells: (object, { now }) => driverCells(object, now) },
});

const csiNodes = defineResource<CSINode>({
  group,
  resource: 'csinodes',
  strategy: csiNodeStrategy,
  returnDeletedObject: true,
  table: {
    cells: ({ metadata, spec }, { now }) => [
      metadata.name ?? '',
      spec.drivers?.length ?? 0,
      ageCell(metadata.creationTimestamp, now),
    ],
  },
});

const csiStorageCapacities = defineResource<CSIStorageCapacity>({
  group,
  resource: 'csistoragecapacities',
  strategy: csiStorageCapacityStrategy,
});

/** The second is what it was called while in beta. */
const defaultClassAnnotations = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

const classNameCell = ({ name = '', annotations }: ObjectMeta, defaults: readonly string[]): string =>
  defaults.some((key) => annotations?.[key] === 'true') ? `${name} (default)` : name;

const storageClasses = defineResource<StorageClass>({
  group,
  resource: 'storageclasses',
  versions: { v1: { defaults: setStorageClassDefaults } as VersionRules },
  strategy: storageClassStrategy,
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
const volumeAttributesClasses = defineResource<VolumeAttributesClass>({
  group,
  resource: 'volumeattributesclasses',
  strategy: volumeAttributesClassStrategy,
  returnDeletedObject: true,
  table: {
    cells: ({ metadata, driverName }, { now }) => [
      classNameCell(metadata, ['volumeattributesclass.alpha.kubernetes.io/is-default-class']),
      driverName ?? '',
      ageCell(metadata.creationTimestamp, now),
    ],
  },
});

function setVolumeAttachmentDefaults({
  spec: {
    source: { inlineVolumeSpec },
  },
}: VolumeAttachment): void {
  if (inlineVolumeSpec !== undefined) setPersistentVolumeSourceDefaults(inlineVolumeSpec);
}

const volumeAttachments = defineResource<VolumeAttachment>({
  group,
  resource: 'volumeattachments',
  versions: { v1: { defaults: setVolumeAttachmentDefaults } as VersionRules },
  strategy: volumeAttachmentStrategy,
  status: volumeAttachmentStatusStrategy,
  returnDeletedObject: true,
  table: {
    cells: ({ metadata, spec, status }, { now }) => [
      metadata.name ?? '',
      spec.attacher ?? '',
      spec.source.persistentVolumeName ?? '',
      spec.nodeName ?? '',
      status.attached === true,
      ageCell(metadata.creationTimestamp, now),
    ],
  },
});

export const storage: readonly ResourceDefinition[] = [
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  storageClasses,
  volumeAttachments,
  volumeAttributesClasses,
];
