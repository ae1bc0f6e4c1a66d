import type { PodTemplateSpec } from '../../gen/types/core-v1.ts';
import { dropInitContainerAnnotations, setPodSpecDefaults } from '../pods/defaults.ts';

export function setPodTemplateDefaults(template: PodTemplateSpec): void {
  setPodSpecDefaults(template.spec);
  dropInitContainerAnnotations(template);
}
