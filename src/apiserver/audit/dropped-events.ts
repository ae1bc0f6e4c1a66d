import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { ReportLoss } from './backend.ts';

/** A disk that is full fails with every event: the log says so once in a while, with how many there were. */
const quietMs = 10_000;

/** Counts each event that was lost, and logs that some were. What was in them is nothing for a log. */
export function createDroppedEventsReport({
  count,
  log,
  clock,
}: {
  readonly count: (plugin: string, events: number) => void;
  readonly log: Logger;
  readonly clock: Clock;
}): ReportLoss {
  const untold = new Map<string, { events: number; since: number }>();
  return (plugin, error, events) => {
    count(plugin, events);
    const now = clock.now();
    const entry = untold.get(plugin) ?? { events: 0, since: -Infinity };
    untold.set(plugin, entry);
    entry.events += events;
    if (now - entry.since < quietMs) return;
    log.error({ plugin, events: entry.events, err: error }, 'audit events could not be recorded');
    Object.assign(entry, { events: 0, since: now });
  };
}
