/** All that an agent serves, as one Koa application for its port with TLS and one for the port without. */
import type { Router } from '@koa/router';
import Koa from 'koa';
import type { Logger } from '../../base/logger.ts';
import type { ApiResponse, Exchange } from '../../server/exchange.ts';
import { answersOf } from '../../server/koa/application.ts';
import { ClientGone } from '../../server/exchange.ts';
import { GrpcError } from '../../grpc/grpc-error.ts';
import { runtimeErrorText } from '../runtime/container-runtime.ts';
import { Refusal } from './refusal.ts';
import type { AgentState } from './state.ts';

/** @param routers what is served; first come, first served */
export function createApplication(routers: readonly Router<AgentState>[], log: Logger): Koa<AgentState> {
  const app = new Koa<AgentState>();
  app.use(withSignal);
  app.use(renderErrors(log));
  for (const router of routers) app.use(router.routes());
  // As the original says it of what is below a path that it has.
  app.use((ctx) => {
    const isOther = routers.some((router) => router.match(ctx.path, ctx.method).path.length > 0);
    refuse(ctx, isOther ? 405 : 404, isOther ? '405: Method Not Allowed' : '404: Page Not Found');
  });
  return app;
}

/** For the listener. */
export function createHandler(app: Koa<AgentState>): (exchange: Exchange) => Promise<ApiResponse> {
  const answer = answersOf(app);
  return async (exchange) => {
    const gone = new AbortController();
    exchange.onClose(() => gone.abort(new ClientGone()));
    const state: AgentState = { signal: gone.signal, exchange };
    const answered = await answer(exchange, state);
    return state.answer ?? answered;
  };
}

/** On a server of Node's own, which has no state of ours. */
const withSignal: Koa.Middleware<AgentState> = (ctx, next) => {
  if ((ctx.state as Partial<AgentState>).signal === undefined) {
    const gone = new AbortController();
    ctx.res.once('close', () => gone.abort(new ClientGone()));
    ctx.state = { signal: gone.signal };
  }
  return next();
};

function refuse(ctx: Koa.ParameterizedContext<AgentState>, status: number, body: string): void {
  ctx.status = status;
  ctx.set('content-type', 'text/plain; charset=utf-8');
  ctx.body = body;
}

function renderErrors(log: Logger): Koa.Middleware<AgentState> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (error instanceof Refusal) return refuse(ctx, error.status, error.message);
      if (ctx.state.signal.aborted) return refuse(ctx, 499, '');
      log.error({ err: error, method: ctx.method, path: ctx.path }, 'request failed');
      refuse(ctx, 500, error instanceof GrpcError ? runtimeErrorText(error) : 'Internal Server Error');
    }
  };
}
