import type { Filter } from '../request/request.ts';

/**
 * Now and then a client over HTTP/2 is asked to open a new connection, so that a load balancer spreads clients again.
 * @param chance of one request, 0 to 1
 */
export function goAwayAtTimes(chance: number, random: () => number = Math.random): Filter {
  if (chance <= 0) return (request, next) => next();
  return async (request, next) => {
    const response = await next();
    return request.exchange.httpVersion === '2.0' && random() < chance
      ? { ...response, headers: { ...response.headers, connection: 'close' } }
      : response;
  };
}
