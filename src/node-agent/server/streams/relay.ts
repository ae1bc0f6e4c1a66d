/**
 * Hands the connection of a client and one to the stream server of the runtime to each other. Both have agreed to
 * another protocol (SPDY, WebSocket), which is not looked at. Each end is read as fast as the other takes it.
 */
import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { copyStream } from '../../../server/copy-stream.ts';
import type { ApiResponse, Exchange, HeaderMap } from '../../../server/exchange.ts';
import { Refusal } from '../refusal.ts';

export interface RelayOptions {
  /** What the runtime said: `http://127.0.0.1:45678/exec/TOKEN`. */
  readonly url: string;
  /** How long neither side may say anything; 0 for without limit. */
  readonly idleTimeoutMs: number;
  readonly signal: AbortSignal;
}

/** Of one connection, or secrets of the caller that the runtime has no use for. */
const dropped = new Set([
  'authorization',
  'connection',
  'cookie',
  'host',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
]);

/** Resolves with the answer of the runtime. Throws a {@link Refusal} where there is none. */
export async function relayUpgrade(
  exchange: Exchange,
  { url, idleTimeoutMs, signal }: RelayOptions,
): Promise<ApiResponse> {
  if (exchange.upgrade === undefined || exchange.canChangeProtocol !== true)
    throw new Refusal(500, 'Upgrade request required\n');
  const target = targetOf(url);
  const answer = await new Promise<Answer>((resolve, reject) => {
    const send = target.protocol === 'https:' ? https.request : http.request;
    const request = send(target, {
      method: exchange.method,
      headers: { ...forwarded(exchange), connection: 'Upgrade', upgrade: exchange.header('upgrade') },
      // The runtime is on this machine, and its certificate its own.
      rejectUnauthorized: false,
      agent: false,
      signal,
    });
    request.once('upgrade', (message, connection, head) => resolve({ message, connection, head }));
    request.once('response', (message) => resolve({ message }));
    request.once('error', reject);
    request.end();
  }).catch((error: unknown) => {
    throw new Refusal(502, `the stream server of the container runtime does not answer: ${(error as Error).message}`);
  });
  if ('connection' in answer) return upgraded(answer, idleTimeoutMs, signal);
  const { message } = answer;
  return {
    status: message.statusCode ?? 502,
    headers: headersOf(message),
    stream: (sink) => copyStream(message, sink, () => void message.destroy()),
  };
}

type Answer =
  | { readonly message: http.IncomingMessage }
  | { readonly message: http.IncomingMessage; readonly connection: Duplex; readonly head: Buffer };

function upgraded(
  { message, connection, head }: Extract<Answer, { connection: Duplex }>,
  idleTimeoutMs: number,
  signal: AbortSignal,
): ApiResponse {
  if (head.length > 0) connection.unshift(head);
  // The request that carried the signal is over.
  const abort = (): void => void connection.destroy();
  signal.addEventListener('abort', abort, { once: true });
  connection.once('close', () => signal.removeEventListener('abort', abort));
  connection.on('error', () => undefined);
  (connection as Socket).setTimeout(idleTimeoutMs, abort);
  if (signal.aborted) abort();
  return {
    status: 101,
    headers: { ...headersOf(message), connection: 'Upgrade', upgrade: message.headers.upgrade ?? [] },
    input: connection,
    stream: (sink) => copyStream(connection, sink, () => void connection.end(abort)),
  };
}

/** A runtime that says something else is not asked to fetch it. */
function targetOf(url: string): URL {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (target?.protocol === 'http:' || target?.protocol === 'https:') return target;
  throw new Refusal(500, 'the container runtime gave no URL of a stream server');
}

const forwarded = (exchange: Exchange): Record<string, string[]> =>
  Object.fromEntries(
    exchange
      .headerNames()
      .filter((name) => !name.startsWith(':') && !dropped.has(name) && !name.startsWith('x-remote-'))
      .map((name) => [name, exchange.headerValues(name)]),
  );

function headersOf({ rawHeaders }: http.IncomingMessage): HeaderMap {
  const headers: Record<string, string[]> = {};
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (name !== 'connection' && name !== 'transfer-encoding' && name !== 'upgrade')
      (headers[name] ??= []).push(rawHeaders[i + 1]!);
  }
  return headers;
}
