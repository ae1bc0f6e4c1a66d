/**
 * Events for a service: POSTed as an EventList, and again, with longer and longer pauses, whatever went wrong. There is
 * hardly a failure that could not pass, and none that makes a lost event right.
 */
import { setMaxListeners } from 'node:events';
import { type Clock, sleep, type Timer } from '../../base/clock.ts';
import { WebhookStatusError } from '../webhooks/webhook-client.ts';
import type { TransportConfig } from '../../client/transport-config.ts';
import type { WebhookClients } from '../webhooks/webhook-clients.ts';
import type { HttpTransport } from '../../client/transport.ts';
import type { AuditSink, ReportLoss } from './backend.ts';
import type { AuditEvent } from './event.ts';

export interface WebhookSinkOptions {
  readonly connection: TransportConfig;
  /** apiVersion of the events. */
  readonly apiVersion: string;
  /** How long to wait after the first failed call before the next. */
  readonly initialBackoffMs: number;
}

const attempts = 5;
const backoffFactor = 1.5;
/** A random part on top, so that servers that failed together do not come back together. */
const jitter = 0.2;
const requestTimeoutMs = 30_000;
/** What a service that hangs may hold up a server that stops. */
const lastCallMs = 10_000;
/** The body of the response is not used; the connection is reused when the body is not longer than this. */
const maxAnswerBytes = 128 * 1024;

export class WebhookSink implements AuditSink {
  readonly #options: WebhookSinkOptions;
  readonly #report: ReportLoss;
  readonly #clock: Clock;
  readonly #connections: HttpTransport;
  /** Aborted when a stop is coming: pauses end, and the attempt after them is the last. */
  readonly #hurry = new AbortController();
  readonly #giveUp = new AbortController();
  #lastCall: Timer | undefined;
  readonly #running = new Set<Promise<boolean>>();

  constructor(
    options: WebhookSinkOptions,
    {
      report,
      clock,
      webhooks,
    }: {
      readonly report: ReportLoss;
      readonly clock: Clock;
      readonly webhooks: Pick<WebhookClients, 'connect'>;
    },
  ) {
    this.#options = options;
    this.#report = report;
    this.#clock = clock;
    // Each batch on its way listens.
    setMaxListeners(0, this.#hurry.signal, this.#giveUp.signal);
    this.#connections = webhooks.connect(options.connection);
  }

  textOf(event: AuditEvent): string {
    return event.text('{', '');
  }

  write(texts: readonly string[]): Promise<boolean> {
    const call = this.#deliver(texts).finally(() => this.#running.delete(call));
    this.#running.add(call);
    return call;
  }

  hurry(): void {
    this.#hurry.abort();
    this.#lastCall ??= this.#clock.after(lastCallMs, () =>
      this.#giveUp.abort(new Error('the webhook does not answer and the server stops')),
    );
  }

  async close(): Promise<void> {
    this.hurry();
    await Promise.all(this.#running);
    this.#lastCall?.cancel();
    await this.#connections.destroy();
  }

  async #deliver(events: readonly string[]): Promise<boolean> {
    const { apiVersion, initialBackoffMs } = this.#options;
    const body = Buffer.from(
      `{"kind":"EventList","apiVersion":"${apiVersion}","metadata":{},"items":[${events.join(',')}]}`,
    );
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === attempts || this.#hurry.signal.aborted;
      try {
        await this.#post(body);
        return true;
      } catch (error) {
        if (isLast) {
          this.#report('webhook', error, events.length);
          return false;
        }
      }
      await sleep(
        this.#clock,
        initialBackoffMs * backoffFactor ** (attempt - 1) * (1 + Math.random() * jitter),
        this.#hurry.signal,
      );
    }
  }

  async #post(body: Buffer): Promise<void> {
    const { status } = await this.#connections.post(body, {
      signals: [this.#giveUp.signal],
      timeoutMs: requestTimeoutMs,
      maxAnswerBytes,
    });
    if (status < 200 || status > 299) throw new WebhookStatusError(status);
  }
}
