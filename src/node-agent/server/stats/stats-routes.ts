/** `/stats/summary`, `/metrics/resource`, `/metrics/cadvisor` */
import { Router } from '@koa/router';
import type { Logger } from '../../../base/logger.ts';
import type { AgentState } from '../state.ts';
import { type CadvisorOptions, cadvisorMetrics } from '../cadvisor/cadvisor-metrics.ts';
import type { NodeStats } from './node-stats.ts';
import { resourceMetrics } from './resource-metrics.ts';

/** The text format of Prometheus. */
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8; escaping=values';

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
    ctx.set('content-type', metricsType);
    ctx.body = resourceMetrics(summary);
  });
  return router;
}

export function cadvisorRoutes(options: CadvisorOptions): Router<AgentState> {
  const router = new Router<AgentState>({ sensitive: true });
  router.get('/metrics/cadvisor', async (ctx) => {
    ctx.set('content-type', metricsType);
    ctx.body = await cadvisorMetrics(options);
  });
  return router;
}
