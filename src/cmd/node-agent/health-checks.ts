/** What `/healthz` of a node agent asks, beside whether it answers. */
import type { HealthCheck } from '../../server/health.ts';
import type { AgentPods } from './pods.ts';

/** As upstream: the loop has stopped for good then. */
const stuckMs = 120_000;

export const healthChecks = (pods: Pick<AgentPods, 'sinceRoundMs'>): HealthCheck[] => [
  // Lines are written as they come.
  { name: 'log', check: () => undefined },
  {
    name: 'syncloop',
    check() {
      const sinceMs = pods.sinceRoundMs() ?? 0;
      if (sinceMs > stuckMs) throw new Error(`pods were last looked at ${Math.round(sinceMs / 1000)} s ago`);
    },
  },
];
