/** What a daemon serves of itself: its health, its metrics and its version, and whatever routes it adds. */
import { Router } from '@koa/router';
import Koa from 'koa';
import type { Registry } from 'prom-client';
import type { VersionInfo } from '../../base/version.ts';
import { isStatusError } from '../../machinery/status.ts';
import { type ApiResponse, ClientGone, type Exchange } from '../exchange.ts';
import type { HealthChecks } from '../health.ts';
import { answersOf } from './application.ts';
import { serveHealthMetrics, serveMetrics, serveNotFound, serveVersion } from './documents.ts';
import { healthRoutes } from './health-routes.ts';
import type { ServingState } from './state.ts';

export interface DaemonLog {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface DaemonApplicationOptions {
  readonly health: HealthChecks;
  readonly registry: Registry;
  readonly version: VersionInfo;
  readonly log: DaemonLog;
  /** Steps in front of everything, such as authentication, in order. */
  readonly before?: readonly Koa.Middleware<ServingState>[];
  /** More routes. */
  readonly routes?: readonly Router<ServingState>[];
}

/** A handler for the listener, which never rejects. */
export function createDaemonApplication({
  health,
  registry,
  version,
  log,
  before = [],
  routes = [],
}: DaemonApplicationOptions): (exchange: Exchange) => Promise<ApiResponse> {
  const app = new Koa<ServingState>();
  app.use(renderErrors(log));
  for (const step of before) app.use(step);
  const own = new Router<ServingState>({ sensitive: true });
  own.all('/metrics', serveMetrics(registry));
  own.all('/metrics/slis', serveHealthMetrics(registry));
  own.all('/version', serveVersion(version));
  for (const router of [healthRoutes<ServingState>(health, log), own, ...routes]) app.use(router.routes());
  app.use(serveNotFound);
  const answer = answersOf(app);
  return (exchange) => answer(exchange, new ExchangeState(exchange));
}

/** The signal is made at first use: most requests never need it. */
class ExchangeState implements ServingState {
  readonly #exchange: Exchange;
  #controller: AbortController | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = (this.#controller = new AbortController());
      this.#exchange.onClose(() => controller.abort(new ClientGone()));
    }
    return this.#controller.signal;
  }
}

/** A Status for what is one, the text of errors that are for the caller, and for all others only that they happened. */
function renderErrors(log: DaemonLog): Koa.Middleware<ServingState> {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (isStatusError(error)) {
        ctx.status = error.code;
        ctx.set('content-type', 'application/json');
        ctx.body = JSON.stringify(error.toStatus());
        return;
      }
      // As `ctx.throw` and packages for Koa make them.
      const { status, expose, message } = error as Partial<{ status: number; expose: boolean; message: string }>;
      const isForCaller = expose === true && status !== undefined;
      if (!isForCaller) log.error({ err: error, method: ctx.method, path: ctx.path }, 'request failed');
      ctx.status = isForCaller ? status : 500;
      ctx.set('content-type', 'text/plain; charset=utf-8');
      ctx.body = `${isForCaller ? message : 'Internal Server Error'}\n`;
    }
  };
}
