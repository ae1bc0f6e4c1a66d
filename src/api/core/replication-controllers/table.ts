import type { ReplicationController } from '../../gen/types/core-v1.ts';
import { ageCell, containerCells, labelsCell } from '../../table/cells.ts';

export const replicationControllerCells = (
  { metadata, spec, status }: ReplicationController,
  now: Date,
): (string | number)[] => [
  metadata.name ?? '',
  spec.replicas ?? 0,
  status.replicas ?? 0,
  status.readyReplicas ?? 0,
  ageCell(metadata.creationTimestamp, now),
  ...containerCells(spec.template?.spec.containers),
  labelsCell(spec.selector),
];
