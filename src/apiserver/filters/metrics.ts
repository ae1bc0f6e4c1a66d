import type { RequestMetrics } from '../metrics/request-metrics.ts';
import { isLongRunning } from '../request/request-info.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import type { Filter } from '../request/request.ts';

/** Counts every answer of this server; watches while they are open. */
export function measure(metrics: RequestMetrics): Filter {
  return async (request, next) => {
    const response = await next();
    if (request.isPassedOn) return response;
    const seconds = (performance.now() - request.receivedAt) / 1000;
    metrics.observe(request, response, seconds, lengthOf(response));
    if (!('stream' in response) || !isLongRunning(request.info)) return response;
    request.exchange.onClose(metrics.longRunning(request));
    return response;
  };
}

/** The same filter, with the time until it passes a request on. What it refuses is not counted, as upstream. */
export function timed(name: string, filter: Filter, metrics: Pick<RequestMetrics, 'filterDuration'>): Filter {
  const duration = metrics.filterDuration(name);
  return (request, next) => {
    const begun = performance.now();
    return filter(request, () => {
      duration.observe((performance.now() - begun) / 1000);
      return next();
    });
  };
}

function lengthOf(response: ApiResponse): number | undefined {
  if ('body' in response && response.body !== undefined) return response.body.length;
  return 'length' in response ? response.length : undefined;
}
