import { createHash } from 'node:crypto';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { type CounterSeries, SeriesCounter } from '../../server/metrics/series-counter.ts';
import { type HistogramSeries, SeriesHistogram } from '../../server/metrics/series-histogram.ts';
import type { AuthorizationResult } from '../../auth/authorization/authorizer.ts';

interface Judged {
  readonly total: CounterSeries;
  readonly duration: HistogramSeries;
}

/** What authorization counts, under the reference's names. */
export class AuthorizationMetrics {
  readonly #attempts: SeriesCounter;
  readonly #duration: SeriesHistogram;
  readonly #decisions: SeriesCounter;
  readonly #webhookCalls: Counter;
  readonly #webhookDuration: Histogram;
  readonly #failedOpen: Counter;
  readonly #conditionSeconds: Histogram;
  readonly #conditionErrors: Counter;
  readonly #exclusions: Counter;
  readonly #reloads: Counter;
  readonly #reloadedAt: Gauge;
  readonly #serverHash: string;
  readonly #graph: SeriesHistogram;
  /** By operation, of which there are few. */
  readonly #graphActions = new Map<string, HistogramSeries>();
  /** Label sets are bound once: hashing labels on every request costs more than counting. */
  readonly #judged = new Map<string, Judged>();
  readonly #decided = new Map<string, CounterSeries>();

  /** @param serverId tells servers of one cluster apart */
  constructor(registry: MetricRegistry, serverId: string) {
    const registers = [registry];
    const server = ['apiserver_id_hash', 'status'] as const;
    this.#serverHash = `sha256:${createHash('sha256').update(serverId).digest('hex')}`;
    this.#attempts = new SeriesCounter({
      name: 'authorization_attempts_total',
      help: 'Requests judged, by result.',
      registry,
    });
    this.#duration = new SeriesHistogram({
      name: 'authorization_duration_seconds',
      help: 'Time a judgement took, in seconds.',
      buckets: Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i),
      registry,
    });
    this.#decisions = new SeriesCounter({
      name: 'apiserver_authorization_decisions_total',
      help: 'Decisions by the authorizer that made them.',
      registry,
    });
    this.#graph = new SeriesHistogram({
      name: 'node_authorizer_graph_actions_duration_seconds',
      help: 'Time that a change of what nodes may read took, in seconds, by operation.',
      buckets: Array.from({ length: 12 }, (_, i) => 0.0001 * 2 ** i),
      registry,
    });
    this.#webhookCalls = new Counter({
      name: 'apiserver_authorization_webhook_evaluations_total',
      help: 'Calls of authorization webhooks, by result.',
      labelNames: ['name', 'result'],
      registers,
    });
    this.#webhookDuration = new Histogram({
      name: 'apiserver_authorization_webhook_duration_seconds',
      help: 'Time a call of an authorization webhook took, in seconds.',
      labelNames: ['name', 'result'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
    this.#failedOpen = new Counter({
      name: 'apiserver_authorization_webhook_evaluations_fail_open_total',
      help: 'Calls of authorization webhooks that failed and left the decision to others.',
      labelNames: ['name', 'result'],
      registers,
    });
    this.#conditionSeconds = new Histogram({
      name: 'apiserver_authorization_match_condition_evaluation_seconds',
      help: 'Time the match conditions of a webhook took, in seconds.',
      labelNames: ['type', 'name'],
      buckets: [0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25],
      registers,
    });
    this.#conditionErrors = new Counter({
      name: 'apiserver_authorization_match_condition_evaluation_errors_total',
      help: 'Requests whose match conditions could not be judged.',
      labelNames: ['type', 'name'],
      registers,
    });
    this.#exclusions = new Counter({
      name: 'apiserver_authorization_match_condition_exclusions_total',
      help: 'Requests that a webhook was not asked about, because a match condition was false.',
      labelNames: ['type', 'name'],
      registers,
    });
    this.#reloads = new Counter({
      name: 'apiserver_authorization_config_controller_automatic_reloads_total',
      help: 'Reloads of the authorization configuration.',
      labelNames: server,
      registers,
    });
    this.#reloadedAt = new Gauge({
      name: 'apiserver_authorization_config_controller_automatic_reload_last_timestamp_seconds',
      help: 'When the authorization configuration was last reloaded.',
      labelNames: server,
      registers,
    });
  }

  /** A request was judged. */
  authorized(result: AuthorizationResult, seconds: number): void {
    let series = this.#judged.get(result);
    if (series === undefined)
      this.#judged.set(
        result,
        (series = { total: this.#attempts.series({ result }), duration: this.#duration.series({ result }) }),
      );
    series.total.inc();
    series.duration.observe(seconds);
  }

  /** What has to do with which node was changed. */
  graphChanged(operation: string, seconds: number): void {
    let series = this.#graphActions.get(operation);
    if (series === undefined) this.#graphActions.set(operation, (series = this.#graph.series({ operation })));
    series.observe(seconds);
  }

  /** One of the authorizers decided. */
  decided(type: string, name: string, decision: 'allow' | 'deny'): void {
    const key = `${type} ${name} ${decision}`;
    let series = this.#decided.get(key);
    if (series === undefined)
      this.#decided.set(
        key,
        (series = this.#decisions.series({ type, name, decision: decision === 'allow' ? 'allowed' : 'denied' })),
      );
    series.inc();
  }

  webhookCalled(name: string, result: 'success' | 'timeout' | 'error', seconds: number, failedOpen: boolean): void {
    this.#webhookCalls.inc({ name, result });
    this.#webhookDuration.observe({ name, result }, seconds);
    if (failedOpen) this.#failedOpen.inc({ name, result });
  }

  conditionsJudged(name: string, seconds: number, result: 'match' | 'excluded' | 'error'): void {
    const labels = { type: 'Webhook', name };
    this.#conditionSeconds.observe(labels, seconds);
    if (result === 'error') this.#conditionErrors.inc(labels);
    if (result === 'excluded') this.#exclusions.inc(labels);
  }

  reloaded(success: boolean): void {
    const labels = { apiserver_id_hash: this.#serverHash, status: success ? 'success' : 'failure' };
    this.#reloads.inc(labels);
    this.#reloadedAt.set(labels, Date.now() / 1000);
  }
}
