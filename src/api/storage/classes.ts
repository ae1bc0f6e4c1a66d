/** @see {@link https://kubernetes.io/docs/concepts/storage/storage-classes/ | Storage Classes} and {@link https://kubernetes.io/docs/concepts/storage/volume-attributes-classes/ | Volume Attributes Classes} */
import type { TopologySelectorTerm } from '../gen/types/core-v1.ts';
import type { StorageClass } from '../gen/types/storage-v1.ts';
import type { VolumeAttributesClass } from '../gen/types/storage-v1beta1.ts';
import { duplicate, type FieldError, forbidden, notSupported, required } from '../../machinery/field-error.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { isEqual } from '../../machinery/equal.ts';
import { checkCsiDriverName } from '../core/volumes/csi.ts';
import { checkImmutable, checkRequiredText } from '../meta/checks.ts';
import { checkLabelName } from '../meta/labels.ts';
import { subdomainName } from '../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../meta/object-meta.ts';
import { checkParameters } from './parameters.ts';

const reclaimPolicies = ['Delete', 'Retain'];
const bindingModes = ['Immediate', 'WaitForFirstConsumer'];
const path = (name: string): FieldPath => FieldPath.of(name);

export function setStorageClassDefaults(object: StorageClass): void {
  object.reclaimPolicy ??= 'Delete';
  object.volumeBindingMode ??= 'Immediate';
}

export function validateStorageClass(object: StorageClass): FieldError[] {
  const { metadata, provisioner = '', reclaimPolicy, volumeBindingMode } = object;
  const errors = validateBuiltInMeta(metadata, { namespaced: false, validateName: subdomainName });
  if (checkRequiredText(provisioner, path('provisioner'), errors)) checkLabelName(provisioner.toLowerCase(), path('provisioner'), errors);
  checkParameters(object.parameters, path('parameters'), errors, { allowEmpty: true });
  if (reclaimPolicy !== undefined && !reclaimPolicies.includes(reclaimPolicy)) errors.push(notSupported(path('reclaimPolicy'), reclaimPolicy, reclaimPolicies));
  if (volumeBindingMode === undefined) errors.push(required(path('volumeBindingMode')));
  else if (!bindingModes.includes(volumeBindingMode)) errors.push(notSupported(path('volumeBindingMode'), volumeBindingMode, bindingModes));
  checkTopologies(object.allowedTopologies, path('allowedTopologies'), errors);
  return errors;
}

export function validateStorageClassUpdate(object: StorageClass, old: StorageClass): FieldError[] {
  const errors = [...validateStorageClass(object), ...validateBuiltInMetaUpdate(object.metadata, old.metadata)];
  for (const member of ['parameters', 'provisioner', 'reclaimPolicy'] as const) checkUnchanged(object[member], old[member], member, errors);
  checkImmutable(object.volumeBindingMode, old.volumeBindingMode, path('volumeBindingMode'), errors);
  return errors;
}

/** An empty map and none are the same. */
function checkUnchanged(value: unknown, old: unknown, member: string, errors: FieldError[]): void {
  if (!isEqual(value ?? {}, old ?? {})) errors.push(forbidden(path(member), `updates to ${member} are forbidden.`));
}

function checkTopologies(terms: readonly TopologySelectorTerm[] | undefined, at: FieldPath, errors: FieldError[]): void {
  terms?.forEach((term, i) => {
    checkTopology(term, at.index(i).child('matchLabelExpressions'), errors);
    const same = terms.slice(0, i).filter((other) => isEqual(byKey(other), byKey(term))).length;
    errors.push(...Array<FieldError>(isEmptyTerm(term) ? same + terms.length : same).fill(duplicate(at.index(i).child('matchLabelExpressions'), '')));
  });
}

/** Upstream compares each term with as many empty ones as there are terms, and so takes an empty one for a duplicate. */
const isEmptyTerm = ({ matchLabelExpressions = [] }: TopologySelectorTerm): boolean => matchLabelExpressions.length === 0;

/** Order means nothing in a term. */
const byKey = ({ matchLabelExpressions = [] }: TopologySelectorTerm): Record<string, string[]> => Object.fromEntries(matchLabelExpressions.map(({ key = '', values = [] }) => [key, [...values].sort()]));

function checkTopology({ matchLabelExpressions = [] }: TopologySelectorTerm, at: FieldPath, errors: FieldError[]): void {
  const keys = new Set<string>();
  matchLabelExpressions.forEach(({ key = '', values = [] }, i) => {
    if (values.length === 0) errors.push(required(at.index(i).child('values')));
    values.forEach((value, j) => {
      if (values.indexOf(value) < j) errors.push(duplicate(at.index(i).child('values').index(j), value));
    });
    checkLabelName(key, at.index(i).child('key'), errors);
    if (keys.has(key)) errors.push(duplicate(at.index(i).child('key'), key));
    keys.add(key);
  });
}

export function validateVolumeAttributesClass({ metadata, driverName = '', parameters }: VolumeAttributesClass): FieldError[] {
  const errors = validateBuiltInMeta(metadata, { namespaced: false, validateName: subdomainName });
  checkCsiDriverName(driverName, path('driverName'), errors);
  checkParameters(parameters, path('parameters'), errors, { allowEmpty: false });
  return errors;
}

export function validateVolumeAttributesClassUpdate(object: VolumeAttributesClass, old: VolumeAttributesClass): FieldError[] {
  const errors = [...validateVolumeAttributesClass(object), ...validateBuiltInMetaUpdate(object.metadata, old.metadata)];
  for (const member of ['driverName', 'parameters'] as const) checkUnchanged(object[member], old[member], member, errors);
  return errors;
}
