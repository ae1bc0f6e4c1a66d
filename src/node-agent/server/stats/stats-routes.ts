/** `/stats/summary` and `/metrics/resource` */
import { Router } from '@koa/router';
import type { Logger } from '../../../base/logger.ts';
import type { AgentState } from '../state.ts';
import type { NodeStats } from './node-stats.ts';
import { resourceMetrics } from './resource-metrics.ts';

export function statsRoutes(stats: Pick<NodeStats, 'summary'>, log: Logger): Router<AgentState> {
  const router = new Router<AgentState>({ sensitive: true });
  router.get('/stats/summary', async (ctx) => {
    const summary = await stats.summary(new URLSearchParams(ctx.querystring).get('only_cpu_and_memory') === 'true');
    ctx.set('content-type', 'application/json');
    ctx.body = JSON.stringify(summary, undefined, 1);
  });
  router.get('/metrics/resource', async (ctx) => {
    const summary = await stats.summary(true).catch((error: unknown) => {
      log.warn({ err: error }, 'the figures of the node could not be read');
      return undefined;
    });
    ctx.set('content-type', 'text/plain; version=0.0.4; charset=utf-8');
    ctx.body = resourceMetrics(summary);
  });
  return router;
}
