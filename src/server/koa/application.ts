/**
 * Koa applications behind the transport: an exchange becomes a context of Koa's, and what the application sets on it
 * becomes an answer. Koa sees neither sockets nor the port, and nothing of Node is patched.
 */
import { Readable } from 'node:stream';
import type { ServerResponse } from 'node:http';
import type Koa from 'koa';
import koaCompose from 'koa-compose';
import { copyStream } from '../copy-stream.ts';
import type { ApiResponse, Exchange, HeaderMap } from '../exchange.ts';
import { answerTo, ExchangeMessage } from './exchange-message.ts';

/** What differs from what the exchange says. */
export interface AskedAs {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
}

/**
 * Answers exchanges by the application. Rejects with what its middleware throws: errors are rendered by middleware, or
 * by the caller. `ctx.respond = false` is not supported.
 */
export function answersOf<State>(
  app: Koa<State>,
): (exchange: Exchange, state: State, asked?: AskedAs) => Promise<ApiResponse> {
  const composed = koaCompose<Koa.ParameterizedContext<State>>(
    app.middleware as Koa.Middleware<State>[] as koaCompose.Middleware<Koa.ParameterizedContext<State>>[],
  );
  return async (exchange, state, { method, url } = { method: exchange.method, url: exchange.target }) => {
    const message = new ExchangeMessage(exchange, method, url);
    const response = answerTo(message);
    const ctx = app.createContext<State>(message.asMessage(), response);
    ctx.state = state as typeof ctx.state;
    // What no middleware answers is not there, as in Koa.
    response.statusCode = 404;
    await composed(ctx);
    return answerOf(ctx.body, response, method === 'HEAD');
  };
}

function answerOf(body: unknown, response: ServerResponse, isHead: boolean): ApiResponse {
  const status = response.statusCode;
  const headers = response.getHeaders() as HeaderMap;
  const source = sourceOf(body);
  if (source !== undefined) {
    if (!isHead) return { status, headers, stream: (sink) => copyStream(source, sink, () => void source.destroy()) };
    source.destroy();
    return { status, headers };
  }
  // What the writer counts itself.
  delete headers['content-length'];
  if (body === undefined || body === null) return { status, headers };
  return {
    status,
    headers,
    body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  };
}

/** Whatever Koa takes for a body that comes piece by piece. */
function sourceOf(body: unknown): Readable | undefined {
  if (body instanceof Readable) return body;
  if (body instanceof Blob) return Readable.from(body.stream());
  if (body instanceof ReadableStream) return Readable.from(body as AsyncIterable<Uint8Array>);
  return body instanceof Response ? Readable.from((body.body as AsyncIterable<Uint8Array> | null) ?? []) : undefined;
}
