/**
 * The CSI drivers of a node. @see {@link https://kubernetes-csi.github.io/docs/csi-node-object.html | CSINode object}
 */
import type { CSINode, CSINodeDriver } from '../../gen/types/storage-v1.ts';
import { duplicate, invalid, required } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { immutableMessage } from '../../../machinery/formats/messages.ts';
import { byteLength } from '../../../machinery/formats/names.ts';
import { checkCsiDriverName } from '../../core/volumes/csi.ts';
import { checkNonNegative, checkRequiredText, repeatedAt } from '../../meta/checks.ts';
import { checkLabelName } from '../../meta/labels.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta } from '../../meta/object-meta.ts';
import { shownStruct } from '../../shown-struct.ts';

const specPath = FieldPath.of('spec');
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
      errors.push(
        invalid(FieldPath.of('CSINodeDriver'), shownStruct('storage/v1.CSINodeDriver', driver), immutableMessage),
      );
  }
  return errors;
}
