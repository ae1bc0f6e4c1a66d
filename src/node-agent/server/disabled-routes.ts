/** What the configuration has switched off is there, and says so. */
import { Router } from '@koa/router';
import { Refusal } from './refusal.ts';
import type { AgentState } from './state.ts';

export function disabledRoutes(roots: readonly string[], message: string): Router<AgentState> {
  const router = new Router<AgentState>({ sensitive: true });
  for (const root of roots)
    router.all([root, `${root}{/*rest}`], () => {
      throw new Refusal(405, message);
    });
  return router;
}
