/**
 * Posts JSON to a webhook over HTTPS and reads its JSON answer: with a time limit, retries, and a limit of calls at
 * once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { timedOut } from '../../client/call-end.ts';
import { KubeconfigError } from '../../client/kubeconfig/fields.ts';
import type { TransportConfig } from '../../client/transport-config.ts';
import { createTransport, type HttpAnswer, type PostOptions } from '../../client/transport.ts';
import type { CallObserver } from '../../client/call-observer.ts';
import { formatDuration } from '../../machinery/duration.ts';
import { connectionErrorText } from './connection-errors.ts';
import type { Address } from './service-resolver.ts';

export interface WebhookClientOptions {
  readonly connection: TransportConfig;
  /** For one attempt. */
  readonly timeoutMs: number;
  /** Waits between attempts, in milliseconds; their number is how often it is tried again. */
  readonly retryDelaysMs?: readonly number[];
  /** Most requests that run or wait at once. */
  readonly maxPending?: number;
  /** Longer answers are refused. Default 1 MiB. */
  readonly maxAnswerBytes?: number;
  /** Whether the webhook gets the time limit as `?timeout=30s`, as webhooks do that objects of the API name. */
  readonly timeoutInQuery?: boolean;
  /** Reads the text of an answer, which is JSON unless given. */
  readonly readAnswer?: (text: string) => unknown;
  readonly observer?: CallObserver;
}

export interface WebhookClient {
  /** Posts an object and resolves with the one that came back. Rejects with what went wrong, without what was sent. */
  post(body: object): Promise<unknown>;
  /**
   * One attempt, by a caller that reads the answer itself, whatever its status; a time limit of its own is what
   * `?timeout=` says too.
   */
  call(body: string | Buffer, limits: CallLimits): Promise<HttpAnswer>;
  /** Takes no more posts; when those under way have ended, connections are closed. */
  retire(): void;
  /** Ends connections, and what is under way on them. */
  close(): Promise<void>;
}

export interface CallLimits {
  /** Nothing is sent where no time is left. */
  readonly timeoutMs: number;
  /** What `?timeout=` says, rounded up to seconds, where that is not what is left. */
  readonly toldMs?: number;
  /** Ends the call together with the request that it is for. */
  readonly signal?: AbortSignal | undefined;
}

/** As the reference waits: half a second, then half as much more each time. */
const usualDelaysMs = [500, 750, 1125, 1690];
const usualMaxPending = 500;
const usualMaxAnswerBytes = 1 << 20;

export function createWebhookClient({
  connection,
  timeoutMs,
  retryDelaysMs = usualDelaysMs,
  maxPending = usualMaxPending,
  maxAnswerBytes = usualMaxAnswerBytes,
  timeoutInQuery = false,
  readAnswer = JSON.parse,
  observer,
}: WebhookClientOptions): WebhookClient {
  const queryWithin = timeoutInQuery ? timeoutQueries() : () => undefined;
  const usualQuery = queryWithin(timeoutMs);
  const urlWith = (query: string | undefined): string =>
    query === undefined ? connection.url : `${connection.url}?${query}`;
  const connections = createTransport({ ...connection, url: urlWith(usualQuery) }, observer);
  const closed = new AbortController();
  let pending = 0;
  let isRetired = false;
  const close = async (): Promise<void> => {
    const reason = new Error('the server is stopping');
    closed.abort(reason);
    await connections.destroy(reason);
  };
  const send = async (body: string | Buffer, options: PostOptions): Promise<HttpAnswer> => {
    try {
      return await connections.post(body, options);
    } catch (error) {
      throw closed.signal.aborted || error instanceof KubeconfigError
        ? error
        : new WebhookConnectionError(urlWith(options.query ?? usualQuery), error);
    }
  };
  const attempt = async (body: string): Promise<unknown> => {
    const { status, text } = await send(body, { timeoutMs, maxAnswerBytes });
    if (text === undefined) throw new Error('the answer of the webhook is too large');
    if (status < 200 || status > 299) throw new WebhookStatusError(status);
    return readAnswer(text);
  };
  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isRetired) throw new Error('the client of the webhook is closed');
    if (pending >= maxPending) throw new Error('too many requests wait for the webhook');
    pending++;
    try {
      return await work();
    } finally {
      pending--;
      if (isRetired && pending === 0) void close();
    }
  };
  return {
    post: (body) => counted(() => withRetries(() => attempt(JSON.stringify(body)), retryDelaysMs, closed.signal)),
    call: (body, { timeoutMs: ms, toldMs = ms, signal }) =>
      counted(() => {
        const query = queryWithin(toldMs);
        if (ms <= 0) throw new WebhookConnectionError(urlWith(query ?? usualQuery), timedOut());
        return send(body, { timeoutMs: ms, query, signals: signalsOf(signal), maxAnswerBytes });
      }),
    retire() {
      isRetired = true;
      if (pending === 0) void close();
    },
    close,
  };
}

const signalsOf = (signal: AbortSignal | undefined): readonly AbortSignal[] => (signal === undefined ? [] : [signal]);

/** `timeout=30s`: rounded up to seconds, of which a webhook has few different ones. */
function timeoutQueries(): (ms: number) => string {
  const known = new Map<number, string>();
  return (ms) => {
    const seconds = Math.ceil(ms / 1000);
    let query = known.get(seconds);
    if (query === undefined) {
      query = `timeout=${formatDuration(seconds * 1e9)}`;
      if (seconds <= mostSeconds) known.set(seconds, query);
    }
    return query;
  };
}

/** That an object of the API may ask for. */
const mostSeconds = 30;

export class WebhookStatusError extends Error {
  override readonly name = 'WebhookStatusError';
  readonly status: number;

  constructor(status: number) {
    super(`the webhook answered with status ${status}`);
    this.status = status;
  }
}

/** There is no answer. The text is that of Go's HTTP client. */
export class WebhookConnectionError extends Error {
  override readonly name = 'WebhookConnectionError';
  readonly code: string | undefined;

  constructor(url: string, cause: unknown) {
    super(`Post "${url}": ${connectionErrorText(cause, addressOf(new URL(url)))}`, { cause });
    this.code = (cause as NodeJS.ErrnoException).code;
  }
}

const addressOf = ({ hostname, port, protocol }: URL): Address => ({
  host: hostname.replace(/^\[|\]$/g, ''),
  port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
});

async function withRetries<T>(attempt: () => Promise<T>, delaysMs: readonly number[], stop: AbortSignal): Promise<T> {
  for (const delayMs of delaysMs) {
    try {
      return await attempt();
    } catch (error) {
      if (!mayPass(error)) throw error;
      await sleep(delayMs * (1 + Math.random() * 0.2), undefined, { signal: stop, ref: false });
    }
  }
  return attempt();
}

/** What the next attempt may not meet: a server in trouble or too busy, a connection that broke. */
const mayPass = (error: unknown): boolean =>
  error instanceof WebhookStatusError
    ? error.status === 500 || error.status === 429
    : ['ECONNRESET', 'UND_ERR_SOCKET'].includes((error as NodeJS.ErrnoException).code ?? '');
