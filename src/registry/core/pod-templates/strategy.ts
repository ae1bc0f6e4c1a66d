import {
  validatePodTemplateObject,
  validatePodTemplateObjectUpdate,
} from '../../../api/core/pod-templates/validation.ts';
import type { PodTemplate } from '../../../api/gen/types/core-v1.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { dropTemplateFields, templateRules, templateWarnings } from '../pods/template.ts';
import type { ResourceStrategy } from '../../strategy.ts';

const path = FieldPath.of('template');

export const podTemplateStrategy: ResourceStrategy<PodTemplate> = {
  generation: true,
  prepareForCreate: ({ template }, context) => dropTemplateFields(template, undefined, context),
  validate: (object, context) => validatePodTemplateObject(object, templateRules(context)),
  warningsOnCreate: ({ template }) => templateWarnings(template, path),
  prepareForUpdate: ({ template }, old, context) => dropTemplateFields(template, old.template, context),
  validateUpdate: (object, old, context) =>
    validatePodTemplateObjectUpdate(object, old, templateRules(context, object.template, old.template)),
  warningsOnUpdate: ({ template }) => templateWarnings(template, path),
};
