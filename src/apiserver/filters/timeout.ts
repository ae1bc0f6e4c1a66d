import { StatusError } from '../../machinery/status.ts';
import { isLongRunning } from '../request-info.ts';
import type { ApiResponse, Filter } from '../request.ts';

/**
 * Answers 504 when a request takes longer than `--request-timeout`. Watches and other long-running requests have
 * limits of their own.
 */
export function limitTime(timeoutMs: number): Filter {
  return (request, next) => {
    if (isLongRunning(request.info)) return next(request);
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
