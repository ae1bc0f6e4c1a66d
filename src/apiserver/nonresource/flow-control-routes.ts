import { Router } from '@koa/router';
import { dumpLevels, dumpQueues, dumpRequests } from '../flow-control/dumps.ts';
import type { FlowControl } from '../flow-control/flow-control.ts';
import type { ServingState } from '../../server/koa/state.ts';

/** What a page uses of its context. */
interface PageContext {
  readonly URL: URL;
  body: unknown;
  set(field: string, value: string): void;
}

/** What the queues of requests are doing, as tables. */
export function flowControlRoutes<State extends ServingState>(control: FlowControl): Router<State> {
  const router = new Router<State>({ sensitive: true, strict: true, prefix: '/debug/api_priority_and_fairness' });
  const shown = (dump: (ctx: PageContext) => string) => (ctx: PageContext) => {
    ctx.set('content-type', 'text/plain; charset=utf-8');
    ctx.body = dump(ctx);
  };
  router.all(
    '/dump_priority_levels',
    shown(() => dumpLevels(control)),
  );
  router.all(
    '/dump_queues',
    shown(() => dumpQueues(control)),
  );
  router.all(
    '/dump_requests',
    shown((ctx) => {
      const withDetails = (ctx.URL.searchParams.get('includeRequestDetails') ?? '') !== '';
      return dumpRequests(control, withDetails, { now: performance.now(), date: new Date() });
    }),
  );
  return router;
}
