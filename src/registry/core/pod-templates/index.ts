import { setPodTemplateDefaults } from '../../../api/core/pod-templates/defaults.ts';
import { podTemplateCells } from '../../../api/core/pod-templates/table.ts';
import type { PodTemplate } from '../../../api/gen/types/core-v1.ts';
import { defineResource, type ResourceDefinition } from '../../strategy.ts';
import { podTemplateStrategy } from './strategy.ts';

export const definitions: ResourceDefinition[] = [
  defineResource<PodTemplate>({
    group: '',
    resource: 'podtemplates',
    versions: { v1: { defaults: ({ template }: PodTemplate) => setPodTemplateDefaults(template) } },
    strategy: podTemplateStrategy,
    table: { cells: podTemplateCells },
  }),
];
