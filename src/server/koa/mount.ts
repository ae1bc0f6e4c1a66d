/**
 * A server inside of another program's Koa application: requests below a prefix are answered by it, all others by what
 * comes behind. Koa itself is the application's, and is not loaded here.
 */
import type { UserInfo } from '../../machinery/user.ts';
import type { ApiResponse, Caller, Exchange } from '../exchange.ts';
import { defaultLimits, TransportMemory } from '../memory.ts';
import { breakOff, isClosed, MountedExchange, type NodeRequest, type NodeResponse } from './mounted-exchange.ts';
import { type KoaAnswer, send } from './send.ts';

/** What is needed of the application's context. */
export interface MountContext extends KoaAnswer {
  readonly req: NodeRequest;
  readonly res: NodeResponse;
  /** As middleware in front left it. */
  readonly url: string;
}

export interface MountOptions {
  readonly handle: (exchange: Exchange, caller?: Caller) => Promise<ApiResponse>;
  /** `/clusters/main`; without it all requests are below. */
  readonly prefix: string | undefined;
  /** Whom the application has authenticated. Without it callers authenticate themselves. */
  readonly user: ((ctx: MountContext) => Promise<UserInfo | undefined> | UserInfo | undefined) | undefined;
}

/** Node reads so many names and values of headers and drops the others, unless its server is told otherwise. */
const nodeHeaderLimit = 2000;

export function mount({
  handle,
  prefix = '',
  user,
}: MountOptions): (ctx: MountContext, next: () => Promise<unknown>) => Promise<void> {
  if (prefix !== '' && !/^(?:\/[^/?#]+)+$/.test(prefix))
    throw new TypeError(
      `koa(): ${JSON.stringify(prefix)} is no prefix: it begins with a slash and does not end with one`,
    );
  const memory = new TransportMemory(defaultLimits(), () => undefined);
  return async (ctx, next) => {
    const target = targetBelow(prefix, ctx.url);
    if (target === undefined) return void (await next());
    // Among what was dropped may be whom the caller acts for.
    if (ctx.req.rawHeaders.length >= nodeHeaderLimit) return send(ctx, tooManyHeaders);
    const caller = user === undefined ? undefined : { user: checked(await user(ctx)) };
    const reservation = memory.bodies.open();
    const exchange = new MountedExchange(ctx.req, ctx.res, target, reservation);
    exchange.onClose(() => reservation.close());
    const response = await handle(exchange, caller);
    send(ctx, exchange.httpVersion === '2.0' ? withoutConnection(response) : response, () => breakOff(ctx.res));
    if ('stream' in response) sendHeadSoon(ctx.res);
  };
}

function targetBelow(prefix: string, url: string): string | undefined {
  if (!url.startsWith(prefix)) return undefined;
  const rest = url.slice(prefix.length);
  if (rest.startsWith('/')) return rest;
  return prefix !== '' && (rest === '' || rest.startsWith('?')) ? `/${rest}` : undefined;
}

function checked(user: UserInfo | undefined): UserInfo | undefined {
  if (user !== undefined && (typeof user.name !== 'string' || user.name === ''))
    throw new TypeError('koa(): a user that the application authenticated has a name');
  return user;
}

const tooManyHeaders: ApiResponse = {
  status: 431,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'too many headers\n',
};

/** There are no such headers in HTTP/2 (RFC 9113 section 8.2.2), and the connection is the application's. */
function withoutConnection(response: ApiResponse): ApiResponse {
  const { connection: _, ...headers } = response.headers;
  return { ...response, headers } as ApiResponse;
}

/**
 * A watch may have nothing to say for long, and its client waits for the head of the answer. Middleware in front has
 * its turn first. What is written before bytes keeps its encoding.
 */
function sendHeadSoon(response: NodeResponse): void {
  setImmediate(() => {
    if (!response.headersSent && !isClosed(response))
      (response as { write(chunk: Buffer): void }).write(Buffer.alloc(0));
  });
}
