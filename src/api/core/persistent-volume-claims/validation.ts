/**
 * @see {@link https://kubernetes.io/docs/concepts/storage/persistent-volumes/#persistentvolumeclaims |
 *   PersistentVolumeClaims}
 */
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../gen/types/core-v1.ts';
import { forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { formatDiff } from '../../../machinery/value-diff.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { isDns1123Subdomain, isQualifiedName } from '../../../machinery/formats/names.ts';
import { checkImmutable, invalidEach } from '../../meta/checks.ts';
import { hasInvalidSelectorValue } from '../../meta/label-selector.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { metadataPath, validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { classAnnotation } from '../persistent-volumes/warnings.ts';
import { quantityOf } from '../resources/quantities.ts';
import { shownResource } from '../resources/resource-amounts.ts';
import { isNativeResource } from '../resources/resource-names.ts';
import { checkClaimSpec, type ClaimRules } from '../volumes/claim-spec.ts';
import { normalizeDataSources } from './data-sources.ts';

const specPath = FieldPath.of('spec');
const statusPath = FieldPath.of('status');

/** What depends on gates and on the claim before. */
export interface ClaimUpdateRules {
  readonly volumeAttributesClass: boolean;
  /** Gate RecoverVolumeExpansionFailure: a growth that failed can be taken back. */
  readonly recoverFromExpansion: boolean;
}

export function validateClaim({ metadata, spec }: PersistentVolumeClaim, rules: ClaimRules): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: true, validateName: subdomainName });
  checkClaimSpec(spec, specPath, errors, rules);
  return errors;
}

/** An old claim may have what was allowed when it was made. */
const claimRules = ({ spec: old }: PersistentVolumeClaim, { volumeAttributesClass }: ClaimUpdateRules): ClaimRules => ({
  volumeAttributesClass: volumeAttributesClass || old.volumeAttributesClassName !== undefined,
  invalidSelectorValues: hasInvalidSelectorValue(old.selector),
  invalidDataSourceGroups: [old.dataSource, old.dataSourceRef].some(
    (source) => (source?.apiGroup ?? '') !== '' && isDns1123Subdomain(source!.apiGroup!).length > 0,
  ),
});

/** Upstream judges the changed claim twice, and clients see each error twice. */
export function validateClaimUpdate(
  object: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  rules: ClaimUpdateRules,
): FieldErrors {
  const judged = validateClaim(object, claimRules(old, rules));
  const errors = FieldErrors.joined(judged, validateBuiltInMetaUpdate(object.metadata, old.metadata), judged);
  const before = comparableOld(object, old);
  const now = comparableNew(object, old, errors);
  if (!isEqual(now, before)) {
    errors.push(
      forbidden(
        specPath,
        'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound ' +
          `claims\n${formatDiff('core.PersistentVolumeClaimSpec', before, now)}`,
      ),
    );
  }
  checkShrinking(object, old, errors, rules);
  checkImmutable(object.spec.volumeMode, old.spec.volumeMode, FieldPath.of('volumeMode'), errors);
  checkClassChange(object.spec, old.spec, errors, rules);
  return errors;
}

/** The old spec as it would be had it been written today, with the volume that it may get once. */
function comparableOld(
  { spec }: PersistentVolumeClaim,
  { spec: old }: PersistentVolumeClaim,
): PersistentVolumeClaimSpec {
  const before = { ...old };
  if ((old.volumeName ?? '') === '') before.volumeName = spec.volumeName;
  normalizeDataSources(before);
  return before;
}

/** The new spec without what may change. */
function comparableNew(
  { metadata, spec, status }: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  errors: FieldErrors,
): PersistentVolumeClaimSpec {
  const now = { ...spec };
  if (isClassUpgrade(metadata.annotations?.[classAnnotation], spec, old)) now.storageClassName = undefined;
  else {
    checkImmutable(
      metadata.annotations?.[classAnnotation] ?? '',
      old.metadata.annotations?.[classAnnotation] ?? '',
      metadataPath.child('annotations', classAnnotation),
      errors,
    );
    // A claim without a class may get one later, when there is a default.
    if (old.metadata.annotations?.[classAnnotation] === undefined && old.spec.storageClassName === undefined)
      now.storageClassName = undefined;
  }
  if (status.phase !== 'Bound') return now;
  const { requests } = spec.resources;
  if (requests !== undefined)
    now.resources = {
      ...spec.resources,
      requests: { ...requests, storage: old.spec.resources.requests?.['storage'] ?? '0' },
    };
  if (spec.volumeAttributesClassName !== undefined) now.volumeAttributesClassName = old.spec.volumeAttributesClassName;
  return now;
}

/** The class moves from the old annotation to the member. */
function isClassUpgrade(
  annotation: string | undefined,
  { storageClassName }: PersistentVolumeClaimSpec,
  { metadata, spec }: PersistentVolumeClaim,
): boolean {
  const before = metadata.annotations?.[classAnnotation];
  return (
    before !== undefined &&
    spec.storageClassName === undefined &&
    storageClassName === before &&
    (annotation === undefined || annotation === before)
  );
}

function checkShrinking(
  { spec }: PersistentVolumeClaim,
  { spec: old, status }: PersistentVolumeClaim,
  errors: FieldErrors,
  { recoverFromExpansion }: ClaimUpdateRules,
): void {
  const [now, before] = [spec, old].map(({ resources }) => quantityOf(resources.requests?.['storage'] ?? '0'));
  if (now!.compare(before!) >= 0) return;
  const path = specPath.child('resources', 'requests', 'storage');
  if (!recoverFromExpansion) errors.push(forbidden(path, 'field can not be less than previous value'));
  else if (now!.compare(quantityOf(status.capacity?.['storage'] ?? '0')) <= 0)
    errors.push(forbidden(path, 'field can not be less than status.capacity'));
}

function checkClassChange(
  { volumeAttributesClassName: now }: PersistentVolumeClaimSpec,
  { volumeAttributesClassName: before }: PersistentVolumeClaimSpec,
  errors: FieldErrors,
  { volumeAttributesClass }: ClaimUpdateRules,
): void {
  if (now === before) return;
  const path = specPath.child('volumeAttributesClassName');
  if (!volumeAttributesClass)
    errors.push(forbidden(path, 'update is forbidden when the VolumeAttributesClass feature gate is disabled'));
  else if (before !== undefined && now === undefined)
    errors.push(forbidden(path, 'update from non-nil value to nil is forbidden'));
  else if (before !== undefined && now === '')
    errors.push(forbidden(path, 'update from non-nil value to an empty string is forbidden'));
}

const resizeStates = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizePending',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
].sort();

export function validateClaimStatusUpdate(
  object: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  { recoverFromExpansion }: ClaimUpdateRules,
): FieldErrors {
  const errors = validateBuiltInMetaUpdate(object.metadata, old.metadata);
  const { capacity, allocatedResources, allocatedResourceStatuses: states } = object.status;
  if ((object.spec.accessModes?.length ?? 0) === 0) errors.push(required(FieldPath.of('Spec', 'accessModes')));
  for (const name in capacity) checkQuantity(capacity[name]!, statusPath.child('capacity').key(name), errors);
  if (!recoverFromExpansion) return errors;
  const statesPath = statusPath.child('allocatedResourceStatus');
  for (const name in states) {
    checkResourceKey(name, statesPath, errors);
    // Upstream shows the resource and not its state.
    if (!resizeStates.includes(states[name]!)) errors.push(notSupported(statesPath, shownResource(name), resizeStates));
  }
  const allocatedPath = statusPath.child('allocatedResources');
  for (const name in allocatedResources)
    if (checkResourceKey(name, allocatedPath, errors))
      checkQuantity(allocatedResources[name]!, allocatedPath.key(name), errors);
  return errors;
}

function checkQuantity(amount: string, path: FieldPath, errors: FieldErrors): void {
  const quantity = quantityOf(amount);
  if (quantity.sign() < 0) errors.push(invalid(path, quantity.value(), 'must be a valid resource quantity'));
}

/** Of the resources that the API knows claims have storage only. Returns whether the name is fine. */
function checkResourceKey(name: string, path: FieldPath, errors: FieldErrors): boolean {
  const before = errors.length;
  const messages = isQualifiedName(name);
  invalidEach(messages, path, name, errors);
  if (messages.length === 0 && isNativeResource(name) && name !== 'storage')
    errors.push(notSupported(path, name, ['storage']));
  return errors.length === before;
}
