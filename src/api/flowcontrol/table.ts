import type { FlowSchema, PriorityLevelConfiguration } from '../gen/types/flowcontrol-v1.ts';
import { compareText } from '../../machinery/compare-text.ts';
import { ageCell } from '../table/cells.ts';

type Cells = (string | number)[];
const none = '<none>';

export const flowSchemaCells = ({ metadata, spec, status }: FlowSchema, now: Date): Cells => [
  metadata.name ?? '',
  spec.priorityLevelConfiguration.name ?? '',
  spec.matchingPrecedence ?? 0,
  spec.distinguisherMethod?.type ?? none,
  ageCell(metadata.creationTimestamp, now),
  status.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
];

/** In the order in which requests are matched. */
export function compareFlowSchemas(a: FlowSchema, b: FlowSchema): number {
  const byPrecedence = (a.spec.matchingPrecedence ?? 0) - (b.spec.matchingPrecedence ?? 0);
  return byPrecedence !== 0 ? byPrecedence : compareText(a.metadata.name ?? '', b.metadata.name ?? '');
}

export function priorityLevelCells({ metadata, spec }: PriorityLevelConfiguration, now: Date): Cells {
  const queuing = spec.limited?.limitResponse.queuing;
  const count = (value: number | undefined): string | number => (queuing === undefined ? none : (value ?? 0));
  return [
    metadata.name ?? '',
    spec.type ?? '',
    spec.limited === undefined ? none : (spec.limited.nominalConcurrencyShares ?? none),
    count(queuing?.queues),
    count(queuing?.handSize),
    count(queuing?.queueLengthLimit),
    ageCell(metadata.creationTimestamp, now),
  ];
}
