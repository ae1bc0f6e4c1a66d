/** Rules of pod templates, wherever they are. */
import type { PodTemplate, PodTemplateSpec } from '../../gen/types/core-v1.ts';
import { forbidden } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { checkAnnotations, checkLabels } from '../../meta/labels.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { checkAnnotatedProfiles, checkPodAnnotations } from '../pods/annotations.ts';
import type { PodValidationOptions } from '../pods/validation-option-types.ts';
import { checkPodSpec } from '../pods/spec.ts';

/** Labels and annotations stand in errors without the metadata around them. */
export function checkPodTemplate(
  { metadata, spec }: PodTemplateSpec,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  checkLabels(metadata.labels, path.child('labels'), errors);
  checkAnnotations(metadata.annotations, path.child('annotations'), errors);
  checkPodAnnotations(metadata.annotations, spec, path.child('annotations'), errors, rules);
  checkPodSpec(spec, undefined, path.child('spec'), errors, rules);
  checkAnnotatedProfiles(metadata.annotations, spec, path.child('spec'), errors);
  if ((spec.ephemeralContainers?.length ?? 0) > 0)
    errors.push(
      forbidden(path.child('spec', 'ephemeralContainers'), 'ephemeral containers not allowed in pod template'),
    );
}

const templatePath = FieldPath.of('template');

export function validatePodTemplateObject(
  { metadata, template }: PodTemplate,
  rules: PodValidationOptions,
): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: true, validateName: subdomainName });
  checkPodTemplate(template, templatePath, errors, rules);
  return errors;
}

export function validatePodTemplateObjectUpdate(
  { metadata, template }: PodTemplate,
  old: PodTemplate,
  rules: PodValidationOptions,
): FieldErrors {
  const errors = validateBuiltInMetaUpdate(metadata, old.metadata);
  checkPodTemplate(template, templatePath, errors, rules);
  return errors;
}
