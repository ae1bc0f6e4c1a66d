import { parseDuration } from '../../machinery/duration.ts';
import { badRequest } from '../../machinery/status.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import { isLongRunning } from '../request/request-info.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import type { ApiRequest, Filter } from '../request/request.ts';
import { statusOf } from './error-rendering.ts';
import { RequestTimedOut } from './request-timed-out.ts';

/**
 * Answers 504 when a request takes longer than `--request-timeout`. Watches and other long-running requests have
 * limits of their own.
 */
export function limitTime(maxMs: number, metrics: Pick<RequestMetrics, 'terminated' | 'endedAfterTimeout'>): Filter {
  return (request, next) => {
    const asked = requestedMs(request);
    if (isLongRunning(request.info)) return next();
    const timeoutMs = Math.min(asked ?? maxMs, maxMs);
    request.deadline = performance.now() + timeoutMs;
    return new Promise<ApiResponse>((resolve, reject) => {
      let late: NodeJS.Timeout | undefined;
      const timer = setTimeout(() => {
        const expired = new RequestTimedOut();
        metrics.terminated(request, 504);
        late = setTimeout(() => {
          late = undefined;
          metrics.endedAfterTimeout('pending');
        }, lateMs).unref();
        request.abort(expired);
        reject(expired);
      }, timeoutMs);
      const end = (status: 'ok' | 'panic'): void => {
        clearTimeout(timer);
        if (late === undefined) return;
        clearTimeout(late);
        metrics.endedAfterTimeout(status);
      };
      next().then(
        (response) => (end('ok'), resolve(response)),
        (error: unknown) => (end(statusOf(error) === undefined ? 'panic' : 'ok'), reject(error as Error)),
      );
    });
  };
}

/** So long it is watched whether a request that is answered already comes to its end. */
const lateMs = 5 * 60 * 1000;

/** `?timeout=` of the request; what is not positive asks for nothing. Throws 400. */
function requestedMs(request: ApiRequest): number | undefined {
  const text = request.query.get('timeout');
  if (text === null || text === '') return undefined;
  try {
    const ms = Number(parseDuration(text) / 1_000_000n);
    return ms > 0 ? ms : undefined;
  } catch (error) {
    throw badRequest(`invalid timeout specified in the request URL - ${(error as Error).message}`);
  }
}
