/**
 * What CSI drivers tell about themselves. @see {@link https://kubernetes-csi.github.io/docs/csi-objects.html | CSI
 * objects}
 */
import type {
  CSIDriver,
  CSIDriverSpec,
  CSINode,
  CSINodeDriver,
  CSIStorageCapacity,
  TokenRequest,
} from '../gen/types/storage-v1.ts';
import { duplicate, invalid, notSupported, required } from '../../machinery/field-error.ts';
import { FieldErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { isEqual } from '../../machinery/equal.ts';
import { immutableMessage, negativeMessage } from '../../machinery/formats/messages.ts';
import { byteLength, isDns1123Subdomain } from '../../machinery/formats/names.ts';
import { goStruct } from '../../machinery/go-quote.ts';
import { quantityOf } from '../core/resources/quantities.ts';
import { checkCsiDriverName } from '../core/volumes/csi.ts';
import { checkFormat, checkImmutable, checkNonNegative, checkRequiredText, repeatedAt } from '../meta/checks.ts';
import { checkLabelSelector, hasInvalidSelectorValue, type LabelSelectorRules } from '../meta/label-selector.ts';
import { checkLabelName } from '../meta/labels.ts';
import { subdomainName } from '../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../meta/object-meta.ts';

const specPath = FieldPath.of('spec');
const fsGroupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType'];
const lifecycleModes = ['Persistent', 'Ephemeral'];

export function setCsiDriverDefaults({ spec }: CSIDriver): void {
  spec.attachRequired ??= true;
  spec.podInfoOnMount ??= false;
  spec.storageCapacity ??= false;
  spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
  if ((spec.volumeLifecycleModes?.length ?? 0) === 0) spec.volumeLifecycleModes = ['Persistent'];
  spec.requiresRepublish ??= false;
  // Dropped later while its gate is off.
  spec.seLinuxMount ??= false;
}

export function validateCsiDriver({ metadata, spec }: CSIDriver): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: false, validateName: subdomainName });
  checkDriverSpec(spec, errors);
  return errors;
}

export function validateCsiDriverUpdate(object: CSIDriver, old: CSIDriver): FieldErrors {
  const errors = validateBuiltInMetaUpdate(object.metadata, old.metadata);
  checkDriverSpec(object.spec, errors);
  checkImmutable(object.spec.attachRequired, old.spec.attachRequired, specPath.child('attachedRequired'), errors);
  checkImmutable(
    object.spec.volumeLifecycleModes,
    old.spec.volumeLifecycleModes,
    specPath.child('volumeLifecycleModes'),
    errors,
    (modes: string[]) => goStruct('[]storage.VolumeLifecycleMode', modes),
  );
  return errors;
}

function checkDriverSpec(spec: CSIDriverSpec, errors: FieldErrors): void {
  const { fsGroupPolicy, volumeLifecycleModes = [] } = spec;
  if (spec.attachRequired === undefined) errors.push(required(specPath.child('attachedRequired')));
  if (spec.podInfoOnMount === undefined) errors.push(required(specPath.child('podInfoOnMount')));
  if (spec.storageCapacity === undefined) errors.push(required(specPath.child('storageCapacity')));
  if (fsGroupPolicy === undefined) errors.push(required(specPath.child('fsGroupPolicy')));
  else if (!fsGroupPolicies.includes(fsGroupPolicy))
    errors.push(notSupported(specPath.child('fsGroupPolicy'), fsGroupPolicy, fsGroupPolicies));
  checkTokenRequests(spec.tokenRequests, specPath.child('tokenRequests'), errors);
  for (const mode of volumeLifecycleModes)
    if (!lifecycleModes.includes(mode))
      errors.push(notSupported(specPath.child('volumeLifecycleModes'), mode, lifecycleModes));
}

function checkTokenRequests(requests: readonly TokenRequest[] | undefined, path: FieldPath, errors: FieldErrors): void {
  const audiences = new Set<string>();
  requests?.forEach(({ audience = '', expirationSeconds: seconds }, i) => {
    if (audiences.has(audience)) return void errors.push(duplicate(path.index(i).child('audience'), audience));
    audiences.add(audience);
    if (seconds === undefined) return;
    const at = path.index(i).child('expirationSeconds');
    if (seconds < 600) errors.push(invalid(at, seconds, 'may not specify a duration less than 10 minutes'));
    if (seconds > 2 ** 32) errors.push(invalid(at, seconds, 'may not specify a duration larger than 2^32 seconds'));
  });
}

const maxNodeIdLength = 192;

export function validateCsiNode({ metadata, spec: { drivers = [] } }: CSINode): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: false, validateName: subdomainName });
  const names = new Set<string>();
  drivers.forEach((driver, i) => checkNodeDriver(driver, names, specPath.child('drivers').index(i), errors));
  return errors;
}

function checkNodeDriver(
  { name = '', nodeID = '', allocatable, topologyKeys = [] }: CSINodeDriver,
  names: Set<string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  checkCsiDriverName(name, path.child('name'), errors);
  checkRequiredText(nodeID, path.child('nodeID'), errors);
  if (byteLength(nodeID) > maxNodeIdLength)
    errors.push(invalid(path.child('nodeID'), nodeID, `must be ${maxNodeIdLength} characters or less`));
  checkNonNegative(allocatable?.count, path.child('allocatable', 'count'), errors);
  if (names.has(name)) errors.push(duplicate(path.child('name'), name));
  names.add(name);
  const repeated = repeatedAt(topologyKeys);
  topologyKeys.forEach((key, i) => {
    if (key === '') errors.push(required(path));
    if (repeated.has(i)) errors.push(duplicate(path, key));
    checkLabelName(key, path, errors);
  });
}

/** Drivers come and go; one that stays says the same. Upstream judges the changed object twice. */
export function validateCsiNodeUpdate(object: CSINode, old: CSINode): FieldErrors {
  const own = validateCsiNode(object);
  const errors = FieldErrors.joined(own, own);
  const byName = new Map(old.spec.drivers?.toReversed().map((driver) => [driver.name, driver]));
  for (const driver of object.spec.drivers ?? []) {
    const before = byName.get(driver.name);
    if (before !== undefined && !isEqual(driver, before))
      errors.push(invalid(FieldPath.of('CSINodeDriver'), goStruct('storage.CSINodeDriver', driver), immutableMessage));
  }
  return errors;
}

export function validateCsiStorageCapacity(object: CSIStorageCapacity, rules: LabelSelectorRules = {}): FieldErrors {
  const errors = validateBuiltInMeta(object.metadata, { namespaced: true, validateName: subdomainName });
  checkFormat(isDns1123Subdomain, object.storageClassName ?? '', FieldPath.of('storageClassName'), errors);
  checkLabelSelector(object.nodeTopology, FieldPath.of('nodeTopology'), errors, rules);
  for (const member of ['capacity', 'maximumVolumeSize'] as const) {
    const amount = object[member];
    if (amount !== undefined && quantityOf(amount).sign() < 0)
      errors.push(invalid(FieldPath.of(member), amount, negativeMessage));
  }
  return errors;
}

/** What is asked of the driver cannot change, only what it answers. */
export function validateCsiStorageCapacityUpdate(object: CSIStorageCapacity, old: CSIStorageCapacity): FieldErrors {
  const errors = validateCsiStorageCapacity(object, { allowInvalidValues: hasInvalidSelectorValue(old.nodeTopology) });
  checkImmutable(object.nodeTopology, old.nodeTopology, FieldPath.of('nodeTopology'), errors, (selector: object) =>
    goStruct('v1.LabelSelector', selector),
  );
  checkImmutable(object.storageClassName, old.storageClassName, FieldPath.of('storageClassName'), errors);
  return errors;
}
