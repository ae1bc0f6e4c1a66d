import { offersWebSocket } from '../../auth/authentication/web-socket-request.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import type { Filter } from '../request/request.ts';

/**
 * Refuses to open a WebSocket for a page of another origin than the host that it asks, unless `--cors-allowed-origins`
 * lists it.
 *
 * The same-origin policy does not hold for WebSockets: a browser that has a client certificate shows it whichever page
 * asks, and the page would read what comes. Clients that are no browsers send no `Origin`, or one of their choice.
 *
 * @NOTE differs from upstream: there any origin will do.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6455#section-10.2 | RFC 6455, section 10.2}
 */
export function checkWebSocketOrigin(allowedOrigins: readonly string[]): Filter {
  const patterns = allowedOrigins.map((pattern) => new RegExp(pattern));
  return (request, next) => {
    if (!offersWebSocket(request)) return next();
    const origin = request.header('origin');
    if (
      origin === undefined ||
      isOfHost(origin, request.header('host') ?? '') ||
      patterns.some((pattern) => pattern.test(origin))
    )
      return next();
    return Promise.resolve(refusal);
  };
}

/** As for an origin that is none (`request/web-socket-opening.ts`). */
const refusal: ApiResponse = {
  status: 403,
  headers: { 'content-type': 'text/plain; charset=utf-8', connection: 'close' },
  body: '',
};

function isOfHost(origin: string, host: string): boolean {
  const own = `https://${host}`;
  return URL.canParse(own) && URL.canParse(origin) && new URL(origin).origin === new URL(own).origin;
}
