import type { ObjectEvent, ObjectEventType, StoredObject } from './objects.ts';

/** All events have the same shape, whichever code makes them: readers of `type` and `object` stay monomorphic. */
export function objectEvent(type: ObjectEventType, revision: number, object: StoredObject): ObjectEvent {
  return { type, revision, object, initialEventsEnd: false, representations: undefined };
}

/** What an event that waits holds in memory, about. */
export function weightOf(event: ObjectEvent): number {
  return (event.object?.bytes.length ?? 0) + eventOverheadBytes;
}

const eventOverheadBytes = 128;
