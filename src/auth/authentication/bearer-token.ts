/**
 * Bearer tokens: from the Authorization header, or from the subprotocols of a WebSocket, whose callers in browsers
 * cannot set headers.
 */
import type { RequestFacts } from '../request-facts.ts';
import { isWebSocketRequest, offeredProtocols, tokenPrefix } from './web-socket-request.ts';
import type { Identity, MaybePromise, RequestAuthenticator, TokenAuthenticator } from './authenticator.ts';

const invalidToken = 'invalid bearer token';
const spaceWarning = 'the provided Authorization header contains extra space before the bearer token, and is ignored';
/** Nothing that is longer is a token. ID tokens with hundreds of groups have some ten thousand characters. */
const maxTokenLength = 256 * 1024;

/** The token of an `Authorization: Bearer` header (RFC 6750 section 2.1), or undefined when there is none. */
export function bearerToken(request: RequestFacts): string | undefined {
  const header = request.header('authorization')?.trim();
  if (header === undefined || header === '') return undefined;
  const [scheme = '', token = '', rest] = header.split(' ', 3);
  if (scheme.toLowerCase() !== 'bearer') return undefined;
  if (token === '' && rest !== undefined) request.warn(spaceWarning);
  return token === '' ? undefined : token;
}

/** @param audiences `--api-audiences`: a token with audiences must have one of them */
export function bearerTokens(tokens: TokenAuthenticator, audiences: readonly string[]): RequestAuthenticator {
  return {
    name: 'bearer',
    authenticate(request) {
      const token = bearerToken(request);
      if (token === undefined) return undefined;
      // Which of two counts is a matter of taste, and a proxy in front may have had another.
      if (request.exchange.headerValues('authorization').length > 1) throw new Error('several Authorization headers');
      return mustBeKnown(judge(tokens, token, audiences, request.exchange.connection));
    },
  };
}

/** Bounds the work that an unknown caller can cause. */
export function judge(
  tokens: TokenAuthenticator,
  token: string,
  audiences: readonly string[],
  connection?: object,
): MaybePromise<Identity | undefined> {
  if (token.length > maxTokenLength) throw new Error(invalidToken);
  return tokens.authenticateToken(token, audiences, connection);
}

function mustBeKnown(found: MaybePromise<Identity | undefined>): MaybePromise<Identity> {
  if (found instanceof Promise) return found.then(mustBeKnown);
  if (found === undefined) throw new Error(invalidToken);
  return found;
}

/**
 * The token among the subprotocols that a WebSocket client offers.
 * @see {@link https://kubernetes.io/docs/reference/using-api/api-concepts/ | API Concepts}, and RFC 6455 section 1.9
 *   for subprotocols
 */
export function webSocketTokens(tokens: TokenAuthenticator, audiences: readonly string[]): RequestAuthenticator {
  return {
    name: 'websocket',
    authenticate(request) {
      if (!isWebSocketRequest(request)) return undefined;
      const offered = offeredProtocols(request);
      const [encoded, ...more] = offered.filter((protocol) => protocol.startsWith(tokenPrefix));
      if (encoded === undefined) return undefined;
      if (more.length > 0) throw new Error('multiple base64.bearer.authorization tokens specified');
      // The server answers with the protocol it speaks, and that must not be the token.
      if (offered.length === 1) throw new Error('missing additional subprotocol');
      return mustBeKnown(judge(tokens, decode(encoded.slice(tokenPrefix.length)), audiences));
    },
  };
}

function decode(encoded: string): string {
  const bytes = Buffer.from(encoded, 'base64url');
  const text = bytes.toString('utf8');
  if (!/^[\w-]+$/.test(encoded) || !Buffer.from(text, 'utf8').equals(bytes))
    throw new Error('invalid base64url.bearer.authorization token');
  return text;
}
