import type { ResourceStore } from '../../registry/generic/resource-store.ts';
import type { ApiRequest } from '../request/request.ts';

/**
 * The signal of a request whose read may have to wait for the store: when the client goes away or the request times
 * out it waits no longer, and its seats go to others. Undefined where the cache answers: a signal would cost more than
 * the read.
 */
export const readSignal = ({ storage }: ResourceStore, request: ApiRequest): AbortSignal | undefined =>
  storage.ready() ? undefined : request.signal;
