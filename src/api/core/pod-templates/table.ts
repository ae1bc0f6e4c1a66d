import type { PodTemplate } from '../../gen/types/core-v1.ts';
import { containerCells, labelsCell } from '../../table/cells.ts';

export const podTemplateCells = ({ metadata, template }: PodTemplate): (string | number)[] => [
  metadata.name ?? '',
  ...containerCells(template.spec.containers),
  labelsCell(template.metadata.labels),
];
