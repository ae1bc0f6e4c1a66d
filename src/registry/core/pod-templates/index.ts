import { setPodTemplateDefaults } from '../../../api/core/pod-templates/defaults.ts';
import { podTemplateCells } from '../../../api/core/pod-templates/table.ts';
import {
  validatePodTemplateObject,
  validatePodTemplateObjectUpdate,
} from '../../../api/core/pod-templates/validation.ts';
import type { PodTemplate } from '../../../api/gen/types/core-v1.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { defineResource, type ResourceDefinition, type ResourceStrategy } from '../../strategy.ts';
import { dropTemplateFields, templateRules, templateWarnings } from '../pods/template.ts';

const path = FieldPath.of('template');

const strategy: ResourceStrategy<PodTemplate> = {
  generation: true,
  prepareForCreate: ({ template }, context) => dropTemplateFields(template, undefined, context),
  validate: (object, context) => validatePodTemplateObject(object, templateRules(context)),
  warningsOnCreate: ({ template }) => templateWarnings(template, path),
  prepareForUpdate: ({ template }, old, context) => dropTemplateFields(template, old.template, context),
  validateUpdate: (object, old, context) =>
    validatePodTemplateObjectUpdate(object, old, templateRules(context, object.template, old.template)),
  warningsOnUpdate: ({ template }) => templateWarnings(template, path),
};

export const definitions: ResourceDefinition[] = [
  defineResource<PodTemplate>({
    group: '',
    resource: 'podtemplates',
    versions: { v1: { defaults: ({ template }: PodTemplate) => setPodTemplateDefaults(template) } },
    strategy,
    table: { cells: podTemplateCells },
  }),
];
