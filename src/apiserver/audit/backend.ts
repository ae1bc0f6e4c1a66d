/** The way of an event from a request to where it is kept. */
import type { AuditEvent } from './event.ts';

export const modes = ['batch', 'blocking', 'blocking-strict'] as const;
/**
 * `batch`: collected and written later. `blocking`: requests wait for their events. `blocking-strict`: and fail without
 * them.
 */
export type Mode = (typeof modes)[number];

/**
 * Where events end: a file, a service. Events are made text at once, and only the text waits: what lives for a moment
 * longer than its request costs the garbage collector more than writing it costs.
 */
export interface AuditSink {
  /** Undefined: the event cannot be written at all, which the sink has counted. */
  textOf(event: AuditEvent): string | undefined;
  /** Resolves to whether they are there; never rejects. What fails is counted and logged by the sink. */
  write(texts: readonly string[]): Promise<boolean>;
  /** A stop is coming: no more waiting before a further attempt. */
  hurry?(): void;
  /** Resolves when everything that was given is written, or is not going to be. */
  close(): Promise<void>;
}

/** Takes the events of requests. */
export interface AuditBackend {
  /** Whether the request may go on; a promise where it has to wait. */
  add(event: AuditEvent): Promise<boolean> | boolean;
  close(): Promise<void>;
}

export const blockingBackend = (sink: AuditSink, isStrict: boolean): AuditBackend => ({
  add(event) {
    const text = sink.textOf(event);
    if (text === undefined) return true;
    return isStrict ? sink.write([text]) : sink.write([text]).then(() => true);
  },
  close: () => {
    sink.hurry?.();
    return sink.close();
  },
});

/**
 * Called when events were not recorded. `plugin` is the reference's name for the component: log, webhook, buffered,
 * truncate.
 */
export type ReportLoss = (plugin: string, error: unknown, events: number) => void;
