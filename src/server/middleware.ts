/**
 * The middleware kernel: a request passes its steps in order, and each decides when, and whether, the rest is asked.
 *
 * Steps have Koa's signature and are composed by Koa's own package. What differs is that an answer is returned, not set
 * on the context: it is typed, and a step that changes it makes a new one.
 * @see {@link https://github.com/koajs/compose | koa-compose}, and `docs/adr/0005-request-chain-and-koa.md`
 */
import koaCompose from 'koa-compose';
import type { ApiResponse } from './exchange.ts';

/** The rest of the chain. A step calls it once at most. */
export type Next = () => Promise<ApiResponse>;

/** A step of the chain: judges, adds to the context, or answers instead of the rest. */
export type Middleware<Context> = (ctx: Context, next: Next) => Promise<ApiResponse>;

/** What answers in any case. */
export type Handler<Context> = (ctx: Context) => Promise<ApiResponse>;

/** The steps in order, then the endpoint, as one function. What throws becomes a rejection. */
export function compose<Context>(steps: readonly Middleware<Context>[], endpoint: Handler<Context>): Handler<Context> {
  // The types of the package know only of middleware that returns nothing.
  const composed = koaCompose<Context>([...steps, endpoint]) as unknown as Handler<Context>;
  return (ctx) => composed(ctx);
}
