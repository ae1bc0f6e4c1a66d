/** @see {@link https://kubernetes.io/docs/concepts/storage/persistent-volumes/ | Persistent Volumes} */
import { posix } from 'node:path';
import type {
  NodeSelectorTerm,
  PersistentVolume,
  PersistentVolumeSpec,
  VolumeNodeAffinity,
} from '../../gen/types/core-v1.ts';
import { forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { formatDiff } from '../../../machinery/value-diff.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { immutableMessage } from '../../../machinery/formats/messages.ts';
import { isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { checkFormat, checkImmutable } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { checkNodeSelector } from '../pods/node-selector.ts';
import { quantityOf } from '../resources/quantities.ts';
import { checkPositiveAmount } from '../resources/resource-amounts.ts';
import { checkAccessModes } from '../volumes/claim-spec.ts';
import { checkSources, persistentVolumeSources } from './source-validation.ts';
import { shownQuantities, shownStruct } from '../../shown-struct.ts';

export interface PersistentVolumeRules {
  /** Gate VolumeAttributesClass, or the object had a class before. */
  readonly volumeAttributesClass: boolean;
}

const specPath = FieldPath.of('spec');
const reclaimPolicies = ['Delete', 'Recycle', 'Retain'];
const volumeModes = ['Block', 'Filesystem'];
const noLongerNull = 'update from non-nil value to nil is forbidden';

export function validatePersistentVolume(
  { metadata, spec }: PersistentVolume,
  rules: PersistentVolumeRules,
): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: false, validateName: subdomainName });
  checkPersistentVolumeSpec(spec, metadata.name ?? '', specPath, errors, rules);
  return errors;
}

function checkPersistentVolumeSpec(
  spec: PersistentVolumeSpec,
  name: string,
  path: FieldPath,
  errors: FieldErrors,
  rules: PersistentVolumeRules,
): void {
  const {
    accessModes = [],
    persistentVolumeReclaimPolicy: policy,
    nodeAffinity,
    storageClassName = '',
    volumeMode,
  } = spec;
  if (accessModes.length === 0) errors.push(required(path.child('accessModes')));
  checkAccessModes(accessModes, path.child('accessModes'), errors);
  checkCapacity(spec.capacity, path.child('capacity'), errors);
  if (policy !== undefined && !reclaimPolicies.includes(policy))
    errors.push(notSupported(path.child('persistentVolumeReclaimPolicy'), policy, reclaimPolicies));
  if (nodeAffinity !== undefined) checkNodeAffinity(nodeAffinity, path.child('nodeAffinity'), errors);
  checkSources(spec, name, path, errors);
  checkRecycledRoot(spec, path, errors);
  if (storageClassName !== '')
    checkFormat(isDns1123Subdomain, storageClassName, path.child('storageClassName'), errors);
  if (volumeMode !== undefined && !volumeModes.includes(volumeMode))
    errors.push(notSupported(path.child('volumeMode'), volumeMode, volumeModes));
  if (rules.volumeAttributesClass) checkAttributesClass(spec, path, errors);
}

/** A volume that a VolumeAttachment carries in itself: only what CSI needs to attach it. */
export function checkInlineVolumeSpec(
  spec: PersistentVolumeSpec,
  path: FieldPath,
  errors: FieldErrors,
  rules: PersistentVolumeRules,
): void {
  const {
    accessModes = [],
    capacity = {},
    persistentVolumeReclaimPolicy: policy,
    storageClassName = '',
    volumeMode,
  } = spec;
  const refuse = (member: string, detail = 'may not be specified in the context of inline volumes'): void =>
    void errors.push(forbidden(path.child(member), detail));
  if (spec.claimRef !== undefined) refuse('claimRef');
  if (Object.keys(capacity).length > 0) refuse('capacity');
  if (spec.csi === undefined)
    errors.push(required(path.child('csi'), 'has to be specified in the context of inline volumes'));
  if (accessModes.length === 0) errors.push(required(path.child('accessModes')));
  checkAccessModes(accessModes, path.child('accessModes'), errors);
  if (policy !== undefined && policy !== 'Retain')
    refuse('persistentVolumeReclaimPolicy', 'may only be Retain in the context of inline volumes');
  if (spec.nodeAffinity !== undefined) refuse('nodeAffinity');
  checkSources(spec, '', path, errors);
  checkRecycledRoot(spec, path, errors);
  if (storageClassName !== '') refuse('storageClassName');
  if (volumeMode !== undefined && volumeMode !== 'Filesystem')
    refuse('volumeMode', 'may not specify volumeMode other than Filesystem in the context of inline volumes');
  if (rules.volumeAttributesClass) checkAttributesClass(spec, path, errors);
}

/** Storage and nothing else. */
function checkCapacity(
  capacity: Readonly<Record<string, string>> | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const names = Object.keys(capacity ?? {});
  if (names.length === 0) errors.push(required(path));
  if (!names.includes('storage') || names.length > 1) {
    errors.push(notSupported(path, shownQuantities('core.ResourceList', capacity), ['storage']));
  }
  for (const name of names) {
    const amount = capacity![name]!;
    if (quantityOf(amount).sign() < 0)
      errors.push(invalid(path.key(name), quantityOf(amount).value(), 'must be a valid resource quantity'));
    checkPositiveAmount(amount, path.key(name), errors);
  }
}

function checkNodeAffinity({ required: selector }: VolumeNodeAffinity, path: FieldPath, errors: FieldErrors): void {
  if (selector === undefined) errors.push(required(path.child('required'), 'must specify required node constraints'));
  else checkNodeSelector(selector, path.child('required'), errors, { allowInvalidValues: false });
}

function checkRecycledRoot(
  { hostPath, persistentVolumeReclaimPolicy: policy }: PersistentVolumeSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (hostPath !== undefined && policy === 'Recycle' && posix.normalize(hostPath.path ?? '') === '/') {
    errors.push(
      forbidden(path.child('persistentVolumeReclaimPolicy'), "may not be 'recycle' for a hostPath mount of '/'"),
    );
  }
}

function checkAttributesClass(
  { volumeAttributesClassName: name, csi }: PersistentVolumeSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (name === undefined) return;
  const at = path.child('volumeAttributesClassName');
  if (name === '') errors.push(required(at, 'an empty string is disallowed'));
  else checkFormat(isDns1123Subdomain, name, at, errors);
  if (csi === undefined)
    errors.push(required(path.child('csi'), 'has to be specified when using volumeAttributesClassName'));
}

/** Upstream judges the changed volume twice, and clients see each error twice. */
export function validatePersistentVolumeUpdate(
  object: PersistentVolume,
  old: PersistentVolume,
  rules: PersistentVolumeRules,
): FieldErrors {
  const own = validatePersistentVolume(object, rules);
  const errors = FieldErrors.joined(own, own);
  const [before, now] = [sourceOf(old.spec), sourceOf(withoutNewExpandSecret(object.spec, old.spec))];
  if (!isEqual(now, before))
    errors.push(
      forbidden(
        specPath.child('persistentvolumesource'),
        'spec.persistentvolumesource is immutable after ' +
          `creation\n${formatDiff('core.PersistentVolumeSource', before, now)}`,
      ),
    );
  checkImmutable(object.spec.volumeMode, old.spec.volumeMode, FieldPath.of('volumeMode'), errors);
  checkSameAffinity(object.spec.nodeAffinity, old.spec.nodeAffinity, errors);
  checkClassChange(object.spec, old.spec, errors, rules);
  return errors;
}

export const validatePersistentVolumeStatusUpdate = (object: PersistentVolume, old: PersistentVolume): FieldErrors =>
  validateBuiltInMetaUpdate(object.metadata, old.metadata);

const sourceOf = (spec: PersistentVolumeSpec): Partial<PersistentVolumeSpec> =>
  Object.fromEntries(
    persistentVolumeSources.filter((source) => spec[source] !== undefined).map((source) => [source, spec[source]]),
  );

/** The one part of a source that may be added later. */
function withoutNewExpandSecret(spec: PersistentVolumeSpec, old: PersistentVolumeSpec): PersistentVolumeSpec {
  if (spec.csi === undefined || old.csi === undefined || old.csi.controllerExpandSecretRef !== undefined) return spec;
  return { ...spec, csi: { ...spec.csi, controllerExpandSecretRef: undefined } };
}

/** Labels of nodes that have got other names. */
const currentLabels: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
};

function checkSameAffinity(
  affinity: VolumeNodeAffinity | undefined,
  old: VolumeNodeAffinity | undefined,
  errors: FieldErrors,
): void {
  if (old === undefined || isEqual(affinity, old) || isEqual(affinity, withLabelsOf(affinity, old))) return;
  errors.push(
    invalid(
      FieldPath.of('nodeAffinity'),
      affinity === undefined ? null : shownStruct('core/v1.VolumeNodeAffinity', affinity),
      `${immutableMessage}, except for updating from beta label to GA`,
    ),
  );
}

/** The old affinity, with the current name of a label where the new one uses it. */
function withLabelsOf(affinity: VolumeNodeAffinity | undefined, old: VolumeNodeAffinity): VolumeNodeAffinity {
  const renamed = (key: string | undefined, now: string | undefined): string | undefined =>
    key !== undefined && currentLabels[key] === now ? now : key;
  const terms = old.required?.nodeSelectorTerms?.map(
    (term, i): NodeSelectorTerm => ({
      ...term,
      matchExpressions: term.matchExpressions?.map((expression, j) => ({
        ...expression,
        key: renamed(expression.key, affinity?.required?.nodeSelectorTerms?.[i]?.matchExpressions?.[j]?.key),
      })),
    }),
  );
  return { ...old, required: old.required === undefined ? undefined : { ...old.required, nodeSelectorTerms: terms } };
}

function checkClassChange(
  spec: PersistentVolumeSpec,
  old: PersistentVolumeSpec,
  errors: FieldErrors,
  { volumeAttributesClass }: PersistentVolumeRules,
): void {
  if (spec.volumeAttributesClassName === old.volumeAttributesClassName) return;
  const path = specPath.child('volumeAttributesClassName');
  if (!volumeAttributesClass)
    errors.push(forbidden(path, 'update is forbidden when the VolumeAttributesClass feature gate is disabled'));
  else if (spec.volumeAttributesClassName === undefined) errors.push(forbidden(path, noLongerNull));
}
