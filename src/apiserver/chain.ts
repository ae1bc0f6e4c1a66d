import type { ApiResponse } from '../server/exchange.ts';
import type { ApiRequest, Filter, Handler } from './request.ts';

/** The filters in order, then the endpoint: one function, so that the order can be read in one place (`server.ts`). */
export function chain(filters: readonly Filter[], endpoint: Handler): Handler {
  return filters.reduceRight<Handler>(
    (next, filter) =>
      (request: ApiRequest): Promise<ApiResponse> =>
        filter(request, next),
    endpoint,
  );
}
