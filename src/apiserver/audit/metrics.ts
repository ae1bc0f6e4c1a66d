import { Counter, type Registry } from 'prom-client';
import { type CounterSeries, SeriesCounter } from '../../server/metrics/series-counter.ts';
import type { Level } from './policy.ts';
import type { AuditCounters } from './trail.ts';

/** The reference's metrics of its audit log. */
export class AuditMetrics implements AuditCounters {
  readonly #events: CounterSeries;
  readonly #dropped: Counter;
  readonly #levels: SeriesCounter;
  readonly #rejected: Counter;
  readonly #levelSeries = new Map<Level, CounterSeries>();

  constructor(registry: Registry) {
    const registers = [registry];
    this.#events = new SeriesCounter({
      name: 'apiserver_audit_event_total',
      help: 'Audit events handed to the backends.',
      registry,
    }).series({});
    this.#dropped = new Counter({
      name: 'apiserver_audit_error_total',
      help: 'Audit events that could not be recorded, by the part that failed.',
      labelNames: ['plugin'],
      registers,
    });
    this.#levels = new SeriesCounter({
      name: 'apiserver_audit_level_total',
      help: 'Requests by the audit level that the policy has for them.',
      registry,
    });
    this.#rejected = new Counter({
      name: 'apiserver_audit_requests_rejected_total',
      help: 'Requests refused because their audit event could not be recorded.',
      registers,
    });
  }

  event(): void {
    this.#events.inc();
  }

  level(level: Level): void {
    let series = this.#levelSeries.get(level);
    if (series === undefined) this.#levelSeries.set(level, (series = this.#levels.series({ level })));
    series.inc();
  }

  lost(plugin: string, events: number): void {
    this.#dropped.inc({ plugin }, events);
  }

  rejected(): void {
    this.#rejected.inc();
  }
}
