/** What claims that are made for pods look like. */
import type { ResourceClaimTemplate, ResourceClaimTemplateSpec } from '../../gen/types/resource-v1beta1.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { checkImmutable } from '../../meta/checks.ts';
import { checkTemplateMeta } from '../../meta/template-meta.ts';
import { shownStruct } from '../../shown-struct.ts';
import { checkClaimSpec } from '../resource-claims/validation.ts';

/** Begins with what is wrong with the metadata. In steps, those of each expression. */
export function* validateResourceClaimTemplate(
  { spec }: ResourceClaimTemplate,
  old: ResourceClaimTemplate | undefined,
  errors: FieldErrors,
): Generator<void, FieldErrors> {
  const path = FieldPath.of('spec');
  if (old !== undefined)
    checkImmutable(spec, old.spec, path, errors, (value: ResourceClaimTemplateSpec) =>
      shownStruct('resource/v1beta1.ResourceClaimTemplateSpec', value),
    );
  checkTemplateMeta(spec.metadata, path.child('metadata'), errors);
  yield* checkClaimSpec(spec.spec, path.child('spec'), errors, old !== undefined);
  return errors;
}
