import type { ReplicaSet } from '../../gen/types/apps-v1.ts';
import { formatLabelSelector } from '../../meta/label-selector.ts';
import { ageCell, containerCells } from '../../table/cells.ts';

export const replicaSetCells = ({ metadata, spec, status }: ReplicaSet, now: Date): (string | number)[] => [
  metadata.name ?? '',
  spec.replicas ?? 0,
  status.replicas ?? 0,
  status.readyReplicas ?? 0,
  ageCell(metadata.creationTimestamp, now),
  ...containerCells(spec.template.spec.containers),
  formatLabelSelector(spec.selector),
];
