import type { EtcdConnection } from './connection.ts';
import { decodeWatch } from './decode.ts';
import { encodeWatchCreate, encodeWatchProgress } from './encode.ts';
import type { EtcdError } from './etcd-error.ts';
import type { Method, StreamCall } from '../grpc/call.ts';
import type { WatchCreateRequest, WatchResponse } from './messages.ts';

const watchMethod: Method<WatchResponse> = { path: '/etcdserverpb.Watch/Watch', decode: decodeWatch };

export interface WatchHandler {
  onResponse(response: WatchResponse): void;
  /** Last, once, unless the stream was cancelled. */
  onEnd(error: EtcdError | undefined): void;
}

/**
 * One watch on a stream of its own.
 *
 * etcd can carry many watches on one stream. They would then share its flow control, so that one slow consumer stops
 * all, and its progress answers, which etcd holds back until every watch of the stream has caught up. A stream costs
 * etcd a few goroutines; a hundred go on one connection.
 */
export class WatchStream {
  readonly #call: StreamCall<WatchResponse>;

  constructor(connection: EtcdConnection, request: WatchCreateRequest, handler: WatchHandler) {
    this.#call = connection.stream(watchMethod, {
      onMessage: (response) => handler.onResponse(response),
      onEnd: (error) => handler.onEnd(error),
    });
    this.#call.send(encodeWatchCreate(request));
  }

  requestProgress(): void {
    this.#call.send(encodeWatchProgress());
  }

  pause(): void {
    this.#call.pause();
  }

  resume(): void {
    this.#call.resume();
  }

  /** The handler is not called again. */
  cancel(): void {
    this.#call.cancel();
  }
}
