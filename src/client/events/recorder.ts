/**
 * Records events about objects (core v1), as most controllers do. Events are for people: recording one never fails, and
 * does not wait.
 * @see {@link https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/ | Event}
 */
import type { Event, ObjectReference } from '../../api/gen/types/core-v1.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { silentLogger, type Logger } from '../../base/logger.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { formatTime } from '../../machinery/time.ts';
import { isNotFound } from '../api-error.ts';
import type { Client } from '../client.ts';
import { type CorrelatorLimits, defaultCorrelatorLimits, EventCorrelator } from './correlator.ts';
import { EventWriter } from './event-writer.ts';
import { eventName, referenceTo, shortened } from './reference.ts';

export type EventType = 'Normal' | 'Warning';

export interface EventRecorder {
  /**
   * @param object has apiVersion and kind, or is a reference
   * @param reason why, in one word for programs
   */
  event(object: KubeObject | ObjectReference, type: EventType, reason: string, message: string): void;
  /** Resolves when all events so far are written or dropped. */
  flush(): Promise<void>;
  /** Drops what is not written yet. */
  stop(): Promise<void>;
}

export interface EventRecorderOptions {
  readonly client: Pick<Client, 'core'>;
  /** Who reports: `deployment-controller`. */
  readonly component: string;
  /** Node or instance of the reporter. */
  readonly host?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly limits?: Partial<CorrelatorLimits>;
  readonly log?: Logger;
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly wallTime?: () => number;
}

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { client, component, host, annotations, log = silentLogger, clock = systemClock } = options;
  const { wallTime = Date.now } = options;
  const correlator = new EventCorrelator(clock, { ...defaultCorrelatorLimits, ...options.limits });
  const writer = new EventWriter(clock, log);
  const { events } = client.core.v1;
  const create = (event: Event, signal: AbortSignal): Promise<unknown> => events.create(event, { signal });
  const repeat = async (event: Event, signal: AbortSignal): Promise<void> => {
    const { count, message, lastTimestamp, metadata } = event;
    const patch = { strategic: { count, message, lastTimestamp } };
    try {
      await events.namespace(metadata.namespace!).patch(metadata.name!, patch, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // Events are kept for an hour.
      await create(event, signal);
    }
  };
  return {
    event(object, type, reason, message) {
      const involvedObject = referenceTo(object);
      const now = wallTime();
      const time = formatTime(Math.floor(now / 1000));
      const namespace = involvedObject.namespace || 'default';
      const correlated = correlator.correlate({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: {
          name: eventName(involvedObject.name ?? '', now),
          namespace,
          ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
        },
        involvedObject,
        reason,
        message: shortened(message),
        type,
        source: { component, ...(host === undefined ? {} : { host }) },
        firstTimestamp: time,
        lastTimestamp: time,
        count: 1,
        reportingComponent: component,
        ...(host === undefined ? {} : { reportingInstance: host }),
      } as Event);
      if (correlated === undefined) return;
      const { event, isRepeated } = correlated;
      writer.add((signal) => (isRepeated ? repeat(event, signal) : create(event, signal)));
    },
    flush: () => writer.flush(),
    stop: () => writer.stop(),
  };
}
