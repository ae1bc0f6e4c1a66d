import type { PersistentVolume } from '../../gen/types/core-v1.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import type { ObjectMeta } from '../../../machinery/object-meta.ts';
import { metadataPath } from '../../meta/object-meta.ts';
import { nodeSelectorTermWarnings } from '../pods/warnings.ts';

export const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

const specPath = FieldPath.of('spec');

/** Sources whose drivers are gone or will go: member, name in the warning, text. */
const oldSources = [
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
] as const;

export const classAnnotationWarnings = ({ annotations }: ObjectMeta): string[] =>
  annotationWarning(annotations, classAnnotation, 'deprecated since v1.8; use "storageClassName" attribute instead');

const annotationWarning = (annotations: ObjectMeta['annotations'], key: string, text: string): string[] =>
  annotations?.[key] === undefined ? [] : [`${metadataPath.child('annotations').key(key)}: ${text}`];

export function* persistentVolumeWarnings({ metadata, spec }: PersistentVolume): Generator<string> {
  yield* classAnnotationWarnings(metadata);
  yield* annotationWarning(
    metadata.annotations,
    'volume.beta.kubernetes.io/mount-options',
    'deprecated since v1.31; use "mountOptions" attribute instead',
  );
  if (spec.persistentVolumeReclaimPolicy === 'Recycle') {
    yield `${specPath.child('persistentVolumeReclaimPolicy')}: The Recycle reclaim policy is deprecated. Instead, ` +
      'the recommended approach is to use dynamic provisioning.';
  }
  const terms = specPath.child('nodeAffinity', 'required', 'nodeSelectorTerms');
  for (const [i, term] of spec.nodeAffinity?.required?.nodeSelectorTerms?.entries() ?? [])
    yield* nodeSelectorTermWarnings(term, terms.index(i));
  for (const [member, name, text] of oldSources)
    if (spec[member] !== undefined) yield `${specPath.child(name)}: ${text}`;
}
