import type { DaemonSet } from '../../gen/types/apps-v1.ts';
import { formatLabelSelector } from '../../meta/label-selector.ts';
import { ageCell, containerCells, labelsCell } from '../../table/cells.ts';

export const daemonSetCells = ({ metadata, spec, status }: DaemonSet, now: Date): (string | number)[] => [
  metadata.name ?? '',
  status.desiredNumberScheduled ?? 0,
  status.currentNumberScheduled ?? 0,
  status.numberReady ?? 0,
  status.updatedNumberScheduled ?? 0,
  status.numberAvailable ?? 0,
  labelsCell(spec.template.spec.nodeSelector),
  ageCell(metadata.creationTimestamp, now),
  ...containerCells(spec.template.spec.containers),
  formatLabelSelector(spec.selector),
];
