/** The opening of a WebSocket (RFC 6455 section 4.2), in the order and with the answers of the reference. */
import { isWebSocketRequest, offeredProtocols, withoutTokens } from '../../auth/authentication/web-socket-request.ts';
import type { ApiResponse, WebSocketAnswer } from '../../server/exchange.ts';
import type { ApiRequest } from './request.ts';

/** What the client asks to have opened: the subprotocol that is spoken on it, or the answer that it cannot be. */
export type Opening =
  | { readonly protocol: WebSocketAnswer['webSocket']['protocol'] }
  | { readonly refused: ApiResponse };

/**
 * On a watch: it must say where its page comes from, and can offer one subprotocol, whichever it is. Undefined where
 * the client asks for no WebSocket.
 */
export function openingOf(request: ApiRequest): Opening | undefined {
  if (!isWebSocketRequest(request)) return undefined;
  const refused = refusedHandshake(request);
  if (refused !== undefined) return { refused };
  if (!isOrigin(request.header('origin') ?? '')) return { refused: refusal(403) };
  const [protocol, ...others] = withoutTokens(offeredProtocols(request));
  return others.length > 0 || (protocol !== undefined && !token.test(protocol))
    ? { refused: refusal(400) }
    : { protocol };
}

/** The answer to what asks for a WebSocket and cannot have one; undefined where it can, of whichever subprotocol. */
export function refusedHandshake(request: ApiRequest): ApiResponse | undefined {
  if (!request.exchange.canBecomeWebSocket) return refusal(400, 'not websocket protocol');
  if (!key.test(request.header('sec-websocket-key') ?? '')) return refusal(400, 'mismatch challenge/response');
  if (request.header('sec-websocket-version') !== '13')
    return refusal(400, 'missing or bad WebSocket Version', { 'sec-websocket-version': '13' });
  return undefined;
}

/** @NOTE differs from upstream: any text is a key there, and any a subprotocol; these are the RFC's. */
const key = /^[+/0-9A-Za-z]{22}==$/;
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * An address with a scheme, or a path: what the reference takes for where a page comes from. Nothing is compared with
 * it.
 */
const isOrigin = (text: string): boolean => /^(?:\/|[a-z][a-z0-9+.-]*:.)[^\s\x00-\x1f\x7f]*$/i.test(text);

function refusal(status: number, body = '', headers: Readonly<Record<string, string>> = {}): ApiResponse {
  return {
    status,
    headers: { ...headers, 'content-type': 'text/plain; charset=utf-8', connection: 'close' },
    body,
  };
}
