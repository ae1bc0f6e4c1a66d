/** events.k8s.io/v1 has the same members as core/v1 under names that say more. */
import type * as core from '../../gen/types/core-v1.ts';
import type * as events from '../../gen/types/events-v1.ts';

export function eventToCore({ apiVersion: _, ...event }: events.Event): core.Event {
  const {
    regarding,
    note,
    deprecatedSource,
    deprecatedFirstTimestamp,
    deprecatedLastTimestamp,
    deprecatedCount,
    reportingController,
    ...same
  } = event;
  return {
    ...same,
    involvedObject: regarding,
    message: note,
    source: deprecatedSource,
    firstTimestamp: deprecatedFirstTimestamp,
    lastTimestamp: deprecatedLastTimestamp,
    count: deprecatedCount,
    reportingComponent: reportingController,
  };
}

export function eventFromCore({ apiVersion: _, ...event }: core.Event): events.Event {
  const { involvedObject, message, source, firstTimestamp, lastTimestamp, count, reportingComponent, ...same } = event;
  return {
    ...same,
    regarding: involvedObject,
    note: message,
    deprecatedSource: source,
    deprecatedFirstTimestamp: firstTimestamp,
    deprecatedLastTimestamp: lastTimestamp,
    deprecatedCount: count,
    reportingController: reportingComponent,
  };
}
