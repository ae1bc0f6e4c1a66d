import type { Event } from '../../gen/types/core-v1.ts';
import { ageCell } from '../../table/cells.ts';

export function eventCells(event: Event, now: Date): (string | number)[] {
  const {
    metadata,
    involvedObject: { kind = '', name = '', fieldPath = '' },
    series,
  } = event;
  const firstSeen = ageCell(event.firstTimestamp ?? event.eventTime, now);
  const lastSeen = event.lastTimestamp === undefined ? firstSeen : ageCell(event.lastTimestamp, now);
  return [
    series === undefined ? lastSeen : ageCell(series.lastObservedTime, now),
    event.type ?? '',
    event.reason ?? '',
    name === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`,
    fieldPath,
    sourceCell(event),
    (event.message ?? '').trim(),
    firstSeen,
    series === undefined ? (event.count ?? 1) : (series.count ?? 0),
    metadata.name ?? '',
  ];
}

function sourceCell({ source, reportingComponent = '', reportingInstance = '' }: Event): string {
  const component = source.component ?? reportingComponent;
  const instance = source.host ?? reportingInstance;
  return instance === '' ? component : `${component}, ${instance}`;
}
