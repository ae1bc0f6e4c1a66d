/**
 * What composing the steps of a request costs, and what Koa's application object would cost on top:
 * `npx vitest bench --run --project unit src/server/middleware`.
 *
 * An iteration is a hundred requests through fifteen steps, as many as a GET passes, of which half wait. A row's mean
 * is to be divided by a hundred. The figures are in `docs/adr/0005-request-chain-and-koa.md`.
 */
import { EventEmitter } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import Koa from 'koa';
import { bench, describe } from 'vitest';
import type { ApiResponse, Exchange } from './exchange.ts';
import { answersOf } from './koa/application.ts';
import { compose, type Handler, type Middleware } from './middleware.ts';

const requests = 100;
const options = { time: 2_000, warmupTime: 500 };

interface Context {
  passed: number;
}

const body = Buffer.alloc(2500, 'x');
const answer: ApiResponse = { status: 200, headers: { 'content-type': 'application/json' }, body };
const endpoint = (): Promise<ApiResponse> => Promise.resolve(answer);

const passing: Middleware<Context> = (ctx, next) => {
  ctx.passed++;
  return next();
};
const waiting: Middleware<Context> = async (ctx, next) => {
  ctx.passed++;
  return await next();
};
const steps = Array.from({ length: 15 }, (_, i) => (i % 2 === 0 ? waiting : passing));

/** A closure for each step and request, and nothing that watches over `next`. */
const closures: Handler<Context> = steps.reduceRight<Handler<Context>>(
  (next, step) => (ctx) => step(ctx, () => next(ctx)),
  endpoint,
);

const composed = compose(steps, endpoint);

async function serve(handle: Handler<Context>): Promise<void> {
  for (let i = 0; i < requests; i++) await handle({ passed: 0 });
}

const app = new Koa();
app.use((ctx) => {
  ctx.status = 200;
  ctx.set('content-type', 'application/json');
  ctx.body = body;
});
const callback = app.callback();

/** What Koa is given for a request: objects of Node's, as small as they can be. */
function exchange(): { message: IncomingMessage; response: ServerResponse } {
  const message = new IncomingMessage(new EventEmitter() as Socket);
  message.method = 'GET';
  message.url = '/api/v1/namespaces/default/pods/web-7d4b9c6f5-x2x9z';
  message.httpVersionMajor = 1;
  message.httpVersionMinor = 1;
  const response = new ServerResponse(message);
  // The bytes go nowhere: sending them is no part of this.
  response.end = () => response;
  return { message, response };
}

async function serveByKoa(): Promise<void> {
  for (let i = 0; i < requests; i++) {
    const { message, response } = exchange();
    await callback(message, response);
  }
}

/** The same behind an exchange, without objects of Node's (`koa/application.ts`). */
const answersByKoa = answersOf(app);
const asked: Exchange = {
  method: 'GET',
  target: '/api/v1/namespaces/default/pods/web-7d4b9c6f5-x2x9z',
  httpVersion: '2.0',
  remoteAddress: '192.0.2.17',
  header: () => undefined,
  headerValues: (name) => [name],
  headerNames: () => ['accept', 'authorization', 'user-agent', 'accept-encoding'],
  readBody: () => Promise.resolve(Buffer.alloc(0)),
  bodyStream: () => undefined,
  peerCertificate: () => undefined,
  onClose: () => undefined,
};
const chainThenKoa = compose<Context>(steps, () => answersByKoa(asked, {}));

describe('a hundred requests', () => {
  bench('through closures', () => serve(closures), options);
  bench('through koa-compose', () => serve(composed), options);
  bench("through koa-compose, then Koa's application object", () => serve(chainThenKoa), options);
  bench("through objects of Node's alone", () => void Array.from({ length: requests }, exchange), options);
  bench("through Koa's application object, with one step", serveByKoa, options);
});
