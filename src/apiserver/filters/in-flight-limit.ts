import { tooManyRequests } from '../../machinery/status.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import { isLongRunning, type RequestInfo } from '../request/request-info.ts';
import type { ApiRequest, Filter } from '../request/request.ts';
import { type SendingOptions, whileSent } from './while-sent.ts';

export interface InFlightLimits {
  /** `--max-requests-inflight`: reads; 0 means no limit. */
  readonly readOnly: number;
  /** `--max-mutating-requests-inflight` */
  readonly mutating: number;
}

const readVerbs = new Set(['get', 'list', 'watch']);

/**
 * Refuses with 429 what would go over the limit of requests in work at once. Watches are not counted: they wait, they
 * do not work.
 */
export function limitInFlight(limits: InFlightLimits, metrics: RequestMetrics, sending: SendingOptions): Filter {
  const running = { readOnly: 0, mutating: 0 };
  return async (request, next) => {
    if (isLongRunning(request.info) || isExempt(request)) return next();
    const kind = isRead(request.info) ? 'readOnly' : 'mutating';
    const limit = limits[kind];
    if (limit > 0 && running[kind] >= limit) {
      metrics.terminated(request, 429);
      request.isRefusedInPlainText = true;
      throw tooManyRequests('Too many requests, please try again later.', 1);
    }
    running[kind]++;
    metrics.inFlight(kind, running[kind]);
    let isCounted = true;
    const leave = (): void => {
      if (!isCounted) return;
      isCounted = false;
      running[kind]--;
      metrics.inFlight(kind, running[kind]);
    };
    // An aggregated server that does not answer must not use up the limit for other requests.
    request.onHandOver = leave;
    let response;
    try {
      response = await next();
    } catch (error) {
      leave();
      throw error;
    }
    return whileSent(response, request, sending, leave);
  };
}

export const isRead = (info: RequestInfo): boolean =>
  readVerbs.has(info.verb) || (!info.isResourceRequest && info.verb === 'head');

/** The operators' own group must get in when the server is full. */
const isExempt = ({ user }: ApiRequest): boolean => user.groups.includes('system:masters');
