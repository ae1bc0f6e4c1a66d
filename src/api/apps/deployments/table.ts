import type { Deployment } from '../../gen/types/apps-v1.ts';
import { formatLabelSelector } from '../../meta/label-selector.ts';
import { ageCell, containerCells } from '../../table/cells.ts';

export const deploymentCells = ({ metadata, spec, status }: Deployment, now: Date): (string | number)[] => [
  metadata.name ?? '',
  `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
  status.updatedReplicas ?? 0,
  status.availableReplicas ?? 0,
  ageCell(metadata.creationTimestamp, now),
  ...containerCells(spec.template.spec.containers),
  formatLabelSelector(spec.selector),
];
