/** From configuration to the audit log of a server. */
import type { Policy } from '../../api/gen/types/audit-v1.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { type AuditBackend, type AuditSink, blockingBackend, type Mode, type ReportLoss } from './backend.ts';
import { BatchBackend, type BatchOptions, type SinkTraits } from './batch-backend.ts';
import { createLogSink, type LogSinkOptions } from './log-sink.ts';
import { createDroppedEventsReport } from './dropped-events.ts';
import type { WebhookClients } from '../webhooks/webhook-clients.ts';
import { createAuditPolicy } from './policy.ts';
import { type AuditCounters, AuditTrail } from './trail.ts';
import { WebhookSink, type WebhookSinkOptions } from './webhook-sink.ts';
import { truncating, type TruncateOptions } from './truncate.ts';

export interface AuditConfig {
  readonly policy: Policy;
  readonly log?: LogSinkOptions & BackendOptions;
  readonly webhook?: WebhookSinkOptions & BackendOptions;
}

export interface BackendOptions {
  readonly mode: Mode;
  /** Of mode `batch`. */
  readonly batch: BatchOptions;
  /** Undefined: events are as large as they are. */
  readonly truncate: TruncateOptions | undefined;
}

export interface AuditSurroundings {
  readonly counters: AuditCounters & { lost(plugin: string, events: number): void };
  readonly log: Logger;
  readonly webhooks: Pick<WebhookClients, 'connect'>;
  readonly clock?: Clock;
}

const logTraits: SinkTraits = { parallel: 1, merges: true };
/**
 * Batches that fail wait for their next attempt; this many may, before the others wait in the buffer, which has an end.
 */
const webhookTraits: SinkTraits = { parallel: 15, merges: false };

/** Undefined when there is nowhere to write to. */
export function createAuditTrail(
  config: AuditConfig,
  { counters, log, webhooks, clock = systemClock }: AuditSurroundings,
): AuditTrail | undefined {
  const report = createDroppedEventsReport({ count: (plugin, events) => counters.lost(plugin, events), log, clock });
  const backends: AuditBackend[] = [];
  if (config.log !== undefined)
    backends.push(backendOf(createLogSink(config.log, { report, log }), config.log, logTraits, report, clock));
  if (config.webhook !== undefined)
    backends.push(
      backendOf(
        new WebhookSink(config.webhook, { report, clock, webhooks }),
        config.webhook,
        webhookTraits,
        report,
        clock,
      ),
    );
  return backends.length === 0
    ? undefined
    : new AuditTrail({ policy: createAuditPolicy(config.policy), backends, counters });
}

function backendOf(
  sink: AuditSink,
  { mode, batch, truncate }: BackendOptions,
  traits: SinkTraits,
  report: ReportLoss,
  clock: Clock,
): AuditBackend {
  const bounded = truncate === undefined ? sink : truncating(sink, truncate, report);
  return mode === 'batch'
    ? new BatchBackend(bounded, { ...batch, ...traits }, { report, clock })
    : blockingBackend(bounded, mode === 'blocking-strict');
}
