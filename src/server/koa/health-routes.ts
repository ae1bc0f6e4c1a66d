import { Router } from '@koa/router';
import { healthEndpoints, type HealthChecks, type HealthLog, serveHealth } from '../health.ts';
import { send } from './send.ts';
import type { ServingState } from './state.ts';

/** `/healthz`, `/livez`, `/readyz` and a path below for each of their checks, for every method. */
export function healthRoutes<State extends ServingState>(checks: HealthChecks, log: HealthLog): Router<State> {
  const router = new Router<State>({ sensitive: true, strict: true });
  for (const endpoint of healthEndpoints)
    router.all(`/${endpoint}{/*check}`, async (ctx) => {
      const { check } = ctx.params;
      const request = { query: new URLSearchParams(ctx.querystring), signal: ctx.state.signal };
      const path = check === undefined ? `/${endpoint}` : `/${endpoint}/${check}`;
      send(ctx, await serveHealth(endpoint, path, checks, request, log));
    });
  return router;
}
