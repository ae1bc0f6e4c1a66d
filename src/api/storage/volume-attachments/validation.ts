/**
 * An order to attach a volume to a node, and how far it is. @see {@link
 * https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/volume-attachment-v1/ |
 * VolumeAttachment}
 */
import type { VolumeAttachment, VolumeAttachmentSource, VolumeError } from '../../gen/types/storage-v1.ts';
import { forbidden, invalid, required, tooLong } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { immutableMessage } from '../../../machinery/formats/messages.ts';
import { byteLength, isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { checkInlineVolumeSpec, type PersistentVolumeRules } from '../../core/persistent-volumes/validation.ts';
import { checkCsiDriverName } from '../../core/volumes/csi.ts';
import { checkFormat, checkRequiredText } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta } from '../../meta/object-meta.ts';
import { checkOpaqueMap } from '../parameters.ts';
import { shownStruct } from '../../shown-struct.ts';

const specPath = FieldPath.of('spec');
const statusPath = FieldPath.of('status');

function validateAttachment({ metadata, spec, status }: VolumeAttachment, rules: PersistentVolumeRules): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: false, validateName: subdomainName });
  checkRequiredText(spec.attacher, specPath.child('attacher'), errors);
  checkSource(spec.source, specPath.child('source'), errors, rules);
  checkFormat(isDns1123Subdomain, spec.nodeName ?? '', specPath.child('nodeName'), errors);
  checkOpaqueMap(status.attachmentMetadata, statusPath.child('attachmentMetadata'), errors);
  checkError(status.attachError, statusPath.child('attachError'), errors);
  checkError(status.detachError, statusPath.child('detachError'), errors);
  return errors;
}

/** With the rules that came with v1: existing objects need not keep them. */
export function validateVolumeAttachment(object: VolumeAttachment, rules: PersistentVolumeRules): FieldErrors {
  const errors = validateAttachment(object, rules);
  const {
    attacher = '',
    source: { persistentVolumeName },
  } = object.spec;
  checkCsiDriverName(attacher, specPath.child('attacher'), errors);
  if (persistentVolumeName !== undefined)
    checkFormat(isDns1123Subdomain, persistentVolumeName, specPath.child('source', 'persistentVolumeName'), errors);
  return errors;
}

/** Upstream judges the changed object twice, and clients see each error twice. */
export function validateVolumeAttachmentUpdate(
  object: VolumeAttachment,
  old: VolumeAttachment,
  rules: PersistentVolumeRules,
): FieldErrors {
  const own = validateAttachment(object, rules);
  const errors = FieldErrors.joined(own, own);
  if (!isEqual(object.spec, old.spec))
    errors.push(invalid(specPath, shownStruct('storage/v1.VolumeAttachmentSpec', object.spec), immutableMessage));
  return errors;
}

const oneOfTwo = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';

function checkSource(
  { inlineVolumeSpec, persistentVolumeName }: VolumeAttachmentSource,
  path: FieldPath,
  errors: FieldErrors,
  rules: PersistentVolumeRules,
): void {
  if (inlineVolumeSpec !== undefined && persistentVolumeName !== undefined) errors.push(forbidden(path, oneOfTwo));
  else if (inlineVolumeSpec !== undefined)
    checkInlineVolumeSpec(inlineVolumeSpec, path.child('inlineVolumeSpec'), errors, rules);
  else if (persistentVolumeName === undefined) errors.push(required(path, oneOfTwo));
  else
    checkRequiredText(
      persistentVolumeName,
      path.child('persistentVolumeName'),
      errors,
      'must specify non empty persistentVolumeName',
    );
}

const maxMessageLength = 1024;

function checkError(error: VolumeError | undefined, path: FieldPath, errors: FieldErrors): void {
  if (byteLength(error?.message ?? '') > maxMessageLength)
    errors.push(tooLong(path.child('message'), maxMessageLength));
}
