/** The headers of a request that goes on to a node, a pod or a service as the client has sent it. */
import type { Exchange } from '../../server/exchange.ts';
import { type ForwardingOptions, passedHeaders } from '../aggregation/forwarded-headers.ts';

export function relayedHeaders(exchange: Exchange, options: ForwardingOptions): Map<string, readonly string[]> {
  const forwardedFor = [...exchange.headerValues('x-forwarded-for'), exchange.remoteAddress].join(', ');
  return new Map([
    ...passedHeaders(exchange, options),
    ['host', [hostOf(exchange)]] as const,
    ['x-forwarded-for', [forwardedFor]] as const,
  ]);
}

export const hostOf = (exchange: Exchange): string => exchange.header('host') ?? exchange.header(':authority') ?? '';

/** What asks the other side for another protocol on the connection. */
export const wishFor = (protocol: readonly string[]): (readonly [string, readonly string[]])[] => [
  ['connection', ['Upgrade']],
  ['upgrade', protocol],
];
