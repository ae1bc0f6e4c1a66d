/** What a request for a WebSocket says (RFC 6455 section 4.1). */
import type { RequestFacts } from '../request-facts.ts';

export const isWebSocketRequest = ({ exchange }: Pick<RequestFacts, 'exchange'>): boolean =>
  exchange.upgrade === 'websocket';

/** Whether a WebSocket is among the protocols that the client offers: the server may choose another. */
export const offersWebSocket = ({ exchange }: Pick<RequestFacts, 'exchange'>): boolean =>
  exchange.upgrade?.split(',').some((protocol) => protocol.trim() === 'websocket') ?? false;

/** Subprotocols in the order of the client's preference. */
export const offeredProtocols = ({ exchange }: Pick<RequestFacts, 'exchange'>): string[] =>
  exchange
    .headerValues('sec-websocket-protocol')
    .flatMap((value) => value.split(','))
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== '');

/**
 * Clients that cannot set headers offer their token as a subprotocol.
 * @see {@link https://kubernetes.io/docs/reference/using-api/api-concepts/ | API Concepts}
 */
export const tokenPrefix = 'base64url.bearer.authorization.k8s.io.';

/**
 * What is left to choose from: the answer names what was chosen, and must not be the token.
 *
 * @NOTE differs from upstream: there it is taken out only if it was the credential that decided, and else may be told
 *   back.
 */
export const withoutTokens = (protocols: readonly string[]): string[] =>
  protocols.filter((protocol) => !protocol.startsWith(tokenPrefix));
