import { parseDuration } from '../../machinery/duration.ts';
import { badRequest, StatusError } from '../../machinery/status.ts';
import { isLongRunning } from '../request-info.ts';
import type { ApiRequest, ApiResponse, Filter } from '../request.ts';

/**
 * Answers 504 when a request takes longer than `--request-timeout`. Watches and other long-running requests have
 * limits of their own.
 */
export function limitTime(maxMs: number): Filter {
  return (request, next) => {
    const asked = requestedMs(request);
    if (isLongRunning(request.info)) return next(request);
    const timeoutMs = Math.min(asked ?? maxMs, maxMs);
    return new Promise<ApiResponse>((resolve, reject) => {
      const timer = setTimeout(() => {
        const expired = new StatusError(504, 'Timeout', 'Timeout: request did not complete within the allotted timeout', {});
        request.abort(expired);
        reject(expired);
      }, timeoutMs);
      next(request).then(resolve, reject).finally(() => clearTimeout(timer));
    });
  };
}

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
