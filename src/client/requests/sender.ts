/**
 * Sends the requests of one client: rate limit, credentials, retries, time limits. In this order for each attempt, so
 * that retries count against the rate and have the credentials of their time.
 */
import type { WebSocket } from 'ws';
import { abortable } from '../../base/abortable.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { StatusError } from '../../machinery/status.ts';
import { pause } from '../../reconcile/pause.ts';
import type { Awaitable, ClientConfig } from '../client-config.ts';
import { deadline } from '../deadline.ts';
import type { Transport, TransportAnswer, TransportRequest } from '../transport/message.ts';
import { commonHeaders, type HeaderFields, headerValue } from './headers.ts';
import { createRequestLimiter, defaultRateLimits, type RateLimits, type RequestLimiter } from './rate-limit.ts';
import { defaultMaxRetries, retryDelayAfterAnswer, retryDelayAfterFailure } from './retry.ts';

export interface SenderOptions {
  readonly limits?: Partial<RateLimits>;
  /** In place of a limiter of its own, for clients that share one. */
  readonly limiter?: RequestLimiter;
  /** For a request with its retries and its answer; 60 s when absent. Watches have this time to begin. */
  readonly timeoutMs?: number;
  /** How often one request is sent again. */
  readonly maxRetries?: number;
  readonly userAgent?: string;
  /** Told of each request that was sent, for metrics. */
  readonly observer?: RequestObserver;
  readonly clock?: Clock;
}

export interface RequestObserver {
  /** @param status undefined where there was no answer */
  answered(request: { readonly method: string; readonly host: string }, status: number | undefined, ms: number): void;
  /** A request waited for the rate limit. */
  limited?(ms: number, request: { readonly method: string; readonly host: string }): void;
  retried?(request: { readonly method: string; readonly host: string }, status: number | undefined): void;
  /** A request was sent, with a body of this length. */
  sent?(request: { readonly method: string; readonly host: string }, bytes: number): void;
  /** The body of an answer was read to its end; those of watches are not told of. */
  received?(request: { readonly method: string; readonly host: string }, bytes: number): void;
}

export interface ClientRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
  readonly signal?: AbortSignal | undefined;
  /** In place of the client's. */
  readonly timeoutMs?: number | undefined;
}

/** A GET that becomes a WebSocket. */
export interface WebSocketOpening extends Pick<ClientRequest, 'path' | 'signal' | 'timeoutMs'> {
  /** Subprotocols, the preferred one first. */
  readonly protocols: readonly string[];
}

/** An answer that is still to be read, within the time limit of its request. */
export interface PendingAnswer extends TransportAnswer {
  /** Gives the timer back. To be called once the body is of no more interest. */
  end(): void;
  /** The body has no time limit from here on, as that of a watch. */
  release(): void;
}

const defaultTimeoutMs = 60_000;

export class Sender {
  readonly clock: Clock;
  readonly #config: ClientConfig;
  readonly #transport: Transport;
  readonly #options: SenderOptions;
  readonly #limiter: RequestLimiter;
  readonly #headers: HeaderFields;
  readonly #host: string;

  constructor(config: ClientConfig, transport: Transport, options: SenderOptions = {}) {
    const { limits, limiter, userAgent = 'orch', clock = systemClock } = options;
    this.#config = config;
    this.#transport = transport;
    this.#options = options;
    this.clock = clock;
    this.#limiter = limiter ?? createRequestLimiter({ ...defaultRateLimits, ...limits }, clock);
    this.#headers = commonHeaders(config, userAgent);
    this.#host = new URL(config.url).host;
  }

  /** Resolves with any answer that is not to be waited for again, also with refusals. */
  async send(request: ClientRequest): Promise<PendingAnswer> {
    const ms = request.timeoutMs ?? this.#options.timeoutMs ?? defaultTimeoutMs;
    // A watch goes on after its time limit, and still ends with the caller's signal.
    const { signal, end, release } = deadline(this.clock, ms, request.signal);
    try {
      const answer = await this.#sendUntilAnswered(request, signal);
      let isCounted = false;
      return {
        ...answer,
        end: () => {
          end();
          if (!isCounted) this.#received(request, answer);
          isCounted = true;
        },
        release: () => {
          isCounted = true;
          release();
        },
      };
    } catch (error) {
      end();
      throw signal.aborted ? signal.reason : error;
    }
  }

  #received({ method }: ClientRequest, { bodyBytes }: TransportAnswer): void {
    const bytes = bodyBytes?.();
    if (bytes !== undefined) this.#options.observer?.received?.({ method, host: this.#host }, bytes);
  }

  async #sendUntilAnswered(request: ClientRequest, signal: AbortSignal): Promise<TransportAnswer> {
    const { maxRetries = defaultMaxRetries } = this.#options;
    for (let attempt = 0; ; attempt++) {
      let delayMs: number | undefined;
      let status: number | undefined;
      try {
        const answer = await this.#sendAuthorized(request, signal);
        delayMs = attempt < maxRetries ? retryDelayAfterAnswer(answer) : undefined;
        if (delayMs === undefined) return answer;
        ({ status } = answer);
        await drain(answer);
      } catch (error) {
        delayMs = attempt < maxRetries ? retryDelayAfterFailure(error, request.method, attempt) : undefined;
        if (delayMs === undefined || signal.aborted) throw error;
      }
      this.#options.observer?.retried?.({ method: request.method, host: this.#host }, status);
      await pause(this.clock, delayMs, signal);
      signal.throwIfAborted();
    }
  }

  /** A refusal of the credentials comes before anything is done: with other ones the request is sent again, once. */
  async #sendAuthorized(request: ClientRequest, signal: AbortSignal): Promise<TransportAnswer> {
    const asked = this.#authorization(signal);
    const shown = asked instanceof Promise ? await asked : asked;
    const answer = await this.#sendOnce(request, shown, signal);
    if (answer.status !== 401 || this.#config.onUnauthorized === undefined) return answer;
    if (!(await abortable(this.#config.onUnauthorized(shown), signal))) return answer;
    await drain(answer);
    return this.#sendOnce(request, await this.#authorization(signal), signal);
  }

  /**
   * A connection that carries streams in both directions. It is not opened again where the server refuses, but for
   * credentials that can be replaced. The signal has no effect once it is open.
   */
  async openWebSocket({ path, protocols, signal: outer, timeoutMs }: WebSocketOpening): Promise<WebSocket> {
    const { openWebSocket } = this.#transport;
    if (openWebSocket === undefined)
      throw new Error('this client has no connections of its own: it cannot open streams in both directions');
    const ms = timeoutMs ?? this.#options.timeoutMs ?? defaultTimeoutMs;
    const limited = deadline(this.clock, ms, outer);
    const { signal } = limited;
    const open = async (authorization: string | undefined): Promise<WebSocket> => {
      await this.#limiter.wait(signal);
      const headers = this.#headersWith(authorization, {});
      return openWebSocket.call(this.#transport, { path, headers, protocols, signal });
    };
    try {
      const shown = await this.#authorization(signal);
      try {
        return await open(shown);
      } catch (error) {
        const isUnauthorized = error instanceof StatusError && error.code === 401;
        const isReplaced = isUnauthorized && ((await this.#config.onUnauthorized?.(shown)) ?? false);
        if (!isReplaced) throw error;
        return await open(await this.#authorization(signal));
      }
    } finally {
      limited.end();
    }
  }

  #headersWith(
    authorization: string | undefined,
    headers: Readonly<Record<string, string>>,
  ): TransportRequest['headers'] {
    return [
      ...this.#headers,
      ...(authorization === undefined ? [] : [['authorization', headerValue(authorization)] as const]),
      ...Object.entries(headers),
    ];
  }

  /** A plugin may take long: others wait for the same. */
  #authorization(signal: AbortSignal): Awaitable<string | undefined> {
    const asked = this.#config.authorization?.();
    return asked instanceof Promise ? abortable(asked, signal) : asked;
  }

  async #sendOnce(
    { method, path, headers = {}, body }: ClientRequest,
    authorization: string | undefined,
    signal: AbortSignal,
  ): Promise<TransportAnswer> {
    const { observer } = this.#options;
    const waitedMs = await this.#limiter.wait(signal);
    if (waitedMs > 0) observer?.limited?.(waitedMs, { method, host: this.#host });
    observer?.sent?.({ method, host: this.#host }, body?.length ?? 0);
    const begun = this.clock.now();
    let status: number | undefined;
    try {
      const answer = await this.#transport.send({
        method,
        path,
        headers: this.#headersWith(authorization, headers),
        body,
        signal,
      });
      ({ status } = answer);
      return answer;
    } finally {
      observer?.answered({ method, host: this.#host }, status, this.clock.now() - begun);
    }
  }
}

/** What the answer says is of no interest. Its stream is free for others then. */
async function drain({ body }: TransportAnswer): Promise<void> {
  for await (const _ of body) continue;
}
