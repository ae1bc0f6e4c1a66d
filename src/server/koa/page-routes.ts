/** Pages in the text format of metrics that a daemon has besides `/metrics`. */
import { Readable } from 'node:stream';
import { Router } from '@koa/router';
import type { Registry } from 'prom-client';
import type { ServingState } from './state.ts';

/** Made when it is asked for, piece by piece. */
export type MetricPage = () => AsyncIterable<string>;

export function pageRoutes(registry: Registry, pages: Readonly<Record<string, MetricPage>>): Router<ServingState> {
  const router = new Router<ServingState>({ sensitive: true });
  for (const [path, page] of Object.entries(pages))
    router.all(path, (ctx) => {
      ctx.set('content-type', registry.contentType);
      ctx.body = Readable.from(page());
    });
  return router;
}
