/** @see {@link https://kubernetes.io/docs/concepts/containers/runtime-class/ | Runtime Class} */
import type { Toleration } from '../../gen/types/core-v1.ts';
import type { RuntimeClass, Scheduling } from '../../gen/types/node-v1.ts';
import { duplicate } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Label } from '../../../machinery/formats/names.ts';
import { checkRequirements } from '../../core/pods/container-resources.ts';
import type { PodValidationOptions } from '../../core/pods/validation-option-types.ts';
import { checkTolerations } from '../../core/pods/tolerations.ts';
import { roundResourceList } from '../../core/resources/quantities.ts';
import { checkFormat, checkImmutable, repeatedAt } from '../../meta/checks.ts';
import { checkLabels } from '../../meta/labels.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { shownStruct } from '../../shown-struct.ts';

export const setRuntimeClassDefaults = ({ overhead }: RuntimeClass): void => roundResourceList(overhead?.podFixed);

const handlerPath = FieldPath.of('handler');

export function validateRuntimeClass(
  { metadata, handler = '', overhead, scheduling }: RuntimeClass,
  rules: PodValidationOptions,
): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: false, validateName: subdomainName });
  checkFormat(isDns1123Label, handler, handlerPath, errors);
  // Judged, and told, as the limits of something called overhead.
  if (overhead !== undefined)
    checkRequirements({ limits: overhead.podFixed }, FieldPath.of('overhead'), errors, {
      rules,
      claims: new Set(),
    });
  if (scheduling !== undefined) checkScheduling(scheduling, FieldPath.of('scheduling'), errors);
  return errors;
}

export function validateRuntimeClassUpdate(
  object: RuntimeClass,
  old: RuntimeClass,
  rules: PodValidationOptions,
): FieldErrors {
  const errors = FieldErrors.joined(
    validateRuntimeClass(object, rules),
    validateBuiltInMetaUpdate(object.metadata, old.metadata),
  );
  checkImmutable(object.handler, old.handler, handlerPath, errors);
  return errors;
}

function checkScheduling({ nodeSelector, tolerations = [] }: Scheduling, path: FieldPath, errors: FieldErrors): void {
  checkLabels(nodeSelector, path.child('nodeSelector'), errors);
  // Upstream names the member twice.
  checkTolerations(tolerations, path.child('tolerations', 'tolerations'), errors);
  for (const i of repeatedAt(tolerations.map(meaningOf)))
    errors.push(duplicate(path.child('tolerations').index(i), shownStruct('core/v1.Toleration', tolerations[i])));
}

const meaningOf = ({ key, operator, value, effect, tolerationSeconds }: Toleration): string =>
  JSON.stringify([key, operator, value, effect, tolerationSeconds?.toString()]);
