/** @see {@link https://kubernetes.io/docs/concepts/storage/volume-attributes-classes/ | Volume Attributes Classes} */
import type { VolumeAttributesClass } from '../../gen/types/storage-v1beta1.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { checkCsiDriverName } from '../../core/volumes/csi.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { checkParameters } from '../parameters.ts';
import { checkUnchanged } from '../unchanged.ts';

export function validateVolumeAttributesClass({
  metadata,
  driverName = '',
  parameters,
}: VolumeAttributesClass): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: false, validateName: subdomainName });
  checkCsiDriverName(driverName, FieldPath.of('driverName'), errors);
  checkParameters(parameters, FieldPath.of('parameters'), errors, { allowEmpty: false });
  return errors;
}

export function validateVolumeAttributesClassUpdate(
  object: VolumeAttributesClass,
  old: VolumeAttributesClass,
): FieldErrors {
  const errors = FieldErrors.joined(
    validateVolumeAttributesClass(object),
    validateBuiltInMetaUpdate(object.metadata, old.metadata),
  );
  for (const member of ['driverName', 'parameters'] as const)
    checkUnchanged(object[member], old[member], member, errors);
  return errors;
}
