import type { StatefulSet } from '../../gen/types/apps-v1.ts';
import { ageCell, containerCells } from '../../table/cells.ts';

export const statefulSetCells = ({ metadata, spec, status }: StatefulSet, now: Date): (string | number)[] => [
  metadata.name ?? '',
  `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
  ageCell(metadata.creationTimestamp, now),
  ...containerCells(spec.template.spec.containers),
];
