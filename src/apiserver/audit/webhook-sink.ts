/**
 * Events for a service: POSTed as an EventList, and again, with longer and longer pauses, whatever went wrong. There is
 * hardly a failure that could not pass, and none that makes a lost event right.
 */
import { timeLimit } from '../../base/time-limit.ts';
import { setMaxListeners } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { type Clock, sleep, type Timer } from '../../base/clock.ts';
import type { WebhookConnection } from '../webhooks/connection-file.ts';
import type { AuditSink, ReportLoss } from './backend.ts';
import type { AuditEvent } from './event.ts';

export interface WebhookSinkOptions {
  readonly connection: WebhookConnection;
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

export class WebhookSink implements AuditSink {
  readonly #options: WebhookSinkOptions;
  readonly #report: ReportLoss;
  readonly #clock: Clock;
  readonly #send: typeof https.request;
  readonly #agent: http.Agent;
  /** Aborted when a stop is coming: pauses end, and the attempt after them is the last. */
  readonly #hurry = new AbortController();
  readonly #giveUp = new AbortController();
  #lastCall: Timer | undefined;
  readonly #running = new Set<Promise<boolean>>();

  constructor(options: WebhookSinkOptions, { report, clock }: { readonly report: ReportLoss; readonly clock: Clock }) {
    this.#options = options;
    this.#report = report;
    this.#clock = clock;
    // Each batch on its way listens.
    setMaxListeners(0, this.#hurry.signal, this.#giveUp.signal);
    // @NOTE differs from upstream: a renewed client certificate is not looked for.
    const { url, ca, certificate, key, serverName, skipVerify } = options.connection;
    const isTls = new URL(url).protocol === 'https:';
    this.#send = isTls ? https.request : http.request;
    this.#agent = isTls
      ? new https.Agent({ keepAlive: true, rejectUnauthorized: !skipVerify, ...(ca && { ca }), ...(certificate && { cert: certificate }), ...(key && { key }), ...(serverName && { servername: serverName }) })
      : new http.Agent({ keepAlive: true });
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
    this.#lastCall ??= this.#clock.after(lastCallMs, () => this.#giveUp.abort(new Error('the webhook does not answer and the server stops')));
  }

  async close(): Promise<void> {
    this.hurry();
    await Promise.all(this.#running);
    this.#lastCall?.cancel();
    this.#agent.destroy();
  }

  async #deliver(events: readonly string[]): Promise<boolean> {
    const { apiVersion, initialBackoffMs } = this.#options;
    const body = Buffer.from(`{"kind":"EventList","apiVersion":"${apiVersion}","metadata":{},"items":[${events.join(',')}]}`);
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
      await sleep(this.#clock, initialBackoffMs * backoffFactor ** (attempt - 1) * (1 + Math.random() * jitter), this.#hurry.signal);
    }
  }

  async #post(body: Buffer): Promise<void> {
    const { url, authorization } = this.#options.connection;
    const credentials = await authorization();
    const status = await new Promise<number>((resolve, reject) => {
      const signal = AbortSignal.any([this.#giveUp.signal, timeLimit(requestTimeoutMs)]);
      const headers = { 'content-type': 'application/json', accept: 'application/json, */*', 'content-length': body.length, ...(credentials === undefined ? {} : { authorization: credentials }) };
      const request = this.#send(url, { method: 'POST', agent: this.#agent, headers, signal }, (response) => {
        response.once('error', reject).once('end', () => resolve(response.statusCode ?? 0)).resume();
      });
      request.once('error', reject).end(body);
    });
    if (status < 200 || status > 299) throw new Error(`the webhook answered with status ${status}`);
  }
}
