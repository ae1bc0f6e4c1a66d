/**
 * Records events of events.k8s.io/v1: what is alike becomes one event with a series, which is written when it begins,
 * every half hour while it goes on, and when it has ended.
 *
 * @NOTE differs from upstream: events with different notes are not alike. There the note of the first stays, and what
 * is said next of an object that has not changed meanwhile is never seen.
 * @see {@link https://kep.k8s.io/383 | KEP-383}
 */
import type { ObjectReference } from '../../api/gen/types/core-v1.ts';
import type { Event } from '../../api/gen/types/events-v1.ts';
import { type Clock, systemClock, type Timer } from '../../base/clock.ts';
import { silentLogger, type Logger } from '../../base/logger.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { formatMicroTime } from '../../machinery/time.ts';
import { isNotFound } from '../api-error.ts';
import type { Client } from '../client.ts';
import { EventWriter } from './event-writer.ts';
import { RecentMap } from './recent-map.ts';
import type { EventType } from './recorder.ts';
import { eventName, referenceTo, shortened } from './reference.ts';

export interface RecordedEvent {
  readonly regarding: KubeObject | ObjectReference;
  /** Another object that plays a part. */
  readonly related?: KubeObject | ObjectReference;
  readonly type: EventType;
  readonly reason: string;
  /** What was done or failed. */
  readonly action: string;
  /** What happened, for people. */
  readonly note: string;
}

export interface SeriesRecorder {
  event(event: RecordedEvent): void;
  flush(): Promise<void>;
  /** Drops what is not written yet. */
  stop(): Promise<void>;
}

export interface SeriesRecorderOptions {
  readonly client: Pick<Client, 'events'>;
  /** `kubernetes.io/scheduler` */
  readonly reportingController: string;
  /** Which instance of it. */
  readonly reportingInstance: string;
  readonly log?: Logger;
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly wallTime?: () => number;
}

interface Series {
  readonly event: Event;
  lastAt: number;
  writtenAt: number;
  count: number;
  lastObservedTime: string;
}

/** client-go's values. */
const endsAfterMs = 6 * 60_000;
const refreshAfterMs = 30 * 60_000;
const remembered = 4096;
/**
 * A burst of pods must not lose the events that say where each of them went. client-go keeps any number of these
 * events; here they end at some hundred megabytes.
 */
const maxWaiting = 50_000;

export function createSeriesRecorder(options: SeriesRecorderOptions): SeriesRecorder {
  const { client, log = silentLogger, clock = systemClock, wallTime = Date.now } = options;
  const { reportingController, reportingInstance } = options;
  const writer = new EventWriter(clock, log, maxWaiting);
  const known = new RecentMap<Series>(remembered);
  const { events } = client.events.v1;
  let timer: Timer | undefined;

  const create = (event: Event): void => writer.add((signal) => events.create(event, { signal }), event.metadata.name);
  const writeSeries = (series: Series): void => {
    const { event, count, lastObservedTime } = series;
    series.writtenAt = clock.now();
    const patch = { strategic: { series: { count, lastObservedTime } } };
    writer.add(async (signal) => {
      try {
        await events.namespace(event.metadata.namespace!).patch(event.metadata.name!, patch, { signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
        await events.create({ ...event, series: { count, lastObservedTime } }, { signal });
      }
    }, event.metadata.name);
  };
  const look = (): void => {
    timer = undefined;
    const now = clock.now();
    for (const [key, series] of [...known.entries()]) {
      const hasEnded = now - series.lastAt >= endsAfterMs;
      if (series.count > 1 && (hasEnded || now - series.writtenAt >= refreshAfterMs)) writeSeries(series);
      if (hasEnded) known.delete(key);
    }
    lookLater();
  };
  const lookLater = (): void => {
    if (timer === undefined && [...known.entries()].length > 0) timer = clock.after(endsAfterMs, look);
  };
  return {
    event({ regarding, related, type, reason, action, note }) {
      const about = referenceTo(regarding);
      const with_ = related === undefined ? undefined : referenceTo(related);
      const now = wallTime();
      const time = formatMicroTime(Math.floor(now / 1000), (now % 1000) * 1_000_000);
      const key = JSON.stringify([type, action, reason, note, identityOf(about), with_ && identityOf(with_)]);
      const series = known.get(key);
      if (series !== undefined) {
        Object.assign(series, { count: series.count + 1, lastAt: clock.now(), lastObservedTime: time });
        if (series.count === 2) writeSeries(series);
        return;
      }
      const namespace = about.namespace || 'default';
      const event = {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: eventName(about.name ?? '', now), namespace },
        eventTime: time,
        reportingController,
        reportingInstance,
        action,
        reason,
        regarding: about,
        ...(with_ === undefined ? {} : { related: with_ }),
        note: shortened(note, 0),
        type,
      } as Event;
      known.set(key, { event, count: 1, lastAt: clock.now(), writtenAt: clock.now(), lastObservedTime: time });
      create(event);
      lookLater();
    },
    flush: () => writer.flush(),
    stop() {
      timer?.cancel();
      return writer.stop();
    },
  };
}

/** With the version: what is said of an object after it has changed is another event. */
const identityOf = (reference: ObjectReference): unknown[] => {
  const { kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath } = reference;
  return [kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath];
};
