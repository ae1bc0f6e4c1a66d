/** `/debug/api_priority_and_fairness/`: tables of levels, queues and requests, for people. */
import { FairQueue, type SeatRequest } from './fair-queue.ts';
import type { FairQueues } from './fair-queues.ts';
import type { Described, FlowControl } from './flow-control.ts';
import type { PriorityLevel } from './priority-level.ts';

type Row = readonly (string | number | boolean)[];

/** Columns as wide as their longest cell, and at least eight; the last one as it is. */
function table(header: readonly string[], rows: readonly Row[]): string {
  const cells = [header, ...rows].map((row) =>
    row.map((cell, i) => `${oneLine(String(cell))}${i < row.length - 1 ? ',' : ''}`),
  );
  const widths = header.map((_, i) => cells.reduce((width, row) => Math.max(width, (row[i] ?? '').length + 1), 8));
  return cells
    .map((row) => `${row.map((cell, i) => (i < row.length - 1 ? cell.padEnd(widths[i]!) : cell)).join('')}\n`)
    .join('');
}

/** Names of users and paths come from clients. */
const oneLine = (text: string): string => text.replace(/[\x00-\x1f\x7f]/g, ' ');

export function dumpLevels(control: FlowControl): string {
  return table(
    [
      'PriorityLevelName',
      'ActiveQueues',
      'IsIdle',
      'IsQuiescing',
      'WaitingRequests',
      'ExecutingRequests',
      'DispatchedRequests',
      'RejectedRequests',
      'TimedoutRequests',
      'CancelledRequests',
    ],
    control.levels.map(({ name, isQuiescing, queues }) => [
      name,
      [...queues.active.values()].filter(({ length }) => length > 0).length,
      queues.isIdle,
      isQuiescing,
      queues.waiting,
      queues.running,
      queues.dispatched,
      queues.rejected,
      queues.timedOut,
      queues.cancelled,
    ]),
  );
}

export function dumpQueues(control: FlowControl): string {
  return table(
    [
      'PriorityLevelName',
      'Index',
      'PendingRequests',
      'ExecutingRequests',
      'SeatsInUse',
      'NextDispatchR',
      'InitialSeatsSum',
      'MaxSeatsSum',
      'TotalWorkSum',
    ],
    control.levels.flatMap(({ name, queues }) =>
      shownQueues(queues).map((queue) => [
        name,
        queue.index,
        queue.length,
        queue.running.size,
        queue.seatsInUse,
        seatSeconds(queue.nextStart),
        queue.seatsWaiting,
        queue.seatsWaiting,
        seatSeconds(queue.workWaiting),
      ]),
    ),
  );
}

/** A level may have millions of queues. */
const mostIdleShown = 1000;

const byIndex = ({ active }: FairQueues): FairQueue[] => [...active.values()].sort((a, b) => a.index - b.index);

/** Queues in which nothing happens too, unless there are very many. */
function shownQueues(queues: FairQueues): FairQueue[] {
  if (queues.queueCount > mostIdleShown) return byIndex(queues);
  const idle = Array.from({ length: queues.queueCount }, (_, i) => i).filter((i) => !queues.active.has(i));
  return [...byIndex(queues), ...idle.map((i) => new FairQueue(i))].sort((a, b) => a.index - b.index);
}

const seatSeconds = (seatMs: number): string => `${(seatMs / 1000).toFixed(8)}ss`;

export interface DumpClock {
  /** As the clock of the levels, in milliseconds. */
  readonly now: number;
  readonly date: Date;
}

/** @param withDetails who asks for what */
export function dumpRequests(control: FlowControl, withDetails: boolean, clock: DumpClock): string {
  const header = [
    'PriorityLevelName',
    'FlowSchemaName',
    'QueueIndex',
    'RequestIndexInQueue',
    'FlowDistingsher',
    'ArriveTime',
    'InitialSeats',
    'FinalSeats',
    'AdditionalLatency',
    'StartTime',
  ];
  const details = ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource'];
  return table(
    withDetails ? [...header, ...details] : header,
    control.levels.flatMap((level) => requestsOf(level, withDetails, clock)),
  );
}

/** A running request has the place -1, outside of every queue too. */
function requestsOf(level: PriorityLevel, withDetails: boolean, clock: DumpClock): Row[] {
  const row = (request: SeatRequest, queue: number, place: number): Row => [
    level.name,
    request.flowSchema,
    queue,
    place,
    request.distinguisher,
    timeOf(request.arrivedAt, clock),
    request.seats,
    0,
    '0s',
    request.startedAt === undefined ? '0001-01-01T00:00:00Z' : timeOf(request.startedAt, clock),
    ...(withDetails ? detailsOf(request.about as Described) : []),
  ];
  return [
    ...[...level.queues.unqueued].map((request) => row(request, -1, -1)),
    ...byIndex(level.queues).flatMap((queue) => [
      ...[...queue.waiting()].map((request, place) => row(request, queue.index, place)),
      ...[...queue.running].map((request) => row(request, queue.index, -1)),
    ]),
  ];
}

const timeOf = (at: number, { now, date }: DumpClock): string =>
  new Date(date.getTime() - (now - at)).toISOString().replace(/\.?0*Z$/, 'Z');

function detailsOf({ info, user }: Described): Row {
  const { verb, path, namespace, name, group, version, resource, subresource } = info;
  return [
    user.name,
    verb,
    path,
    namespace,
    name,
    group === '' ? version : `${group}/${version}`,
    resource,
    subresource,
  ];
}
