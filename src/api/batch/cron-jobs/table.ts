import type { CronJob } from '../../gen/types/batch-v1.ts';
import { formatLabelSelector } from '../../meta/label-selector.ts';
import { ageCell, boolCell, containerCells } from '../../table/cells.ts';

export const cronJobCells = ({ metadata, spec, status }: CronJob, now: Date): (string | number)[] => [
  metadata.name ?? '',
  spec.schedule ?? '',
  spec.timeZone ?? '<none>',
  boolCell(spec.suspend),
  status.active?.length ?? 0,
  status.lastScheduleTime === undefined ? '<none>' : ageCell(status.lastScheduleTime, now),
  ageCell(metadata.creationTimestamp, now),
  ...containerCells(spec.jobTemplate.spec.template.spec.containers),
  formatLabelSelector(spec.jobTemplate.spec.selector),
];
