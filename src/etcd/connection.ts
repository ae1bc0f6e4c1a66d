import { EtcdError, unavailable } from './etcd-error.ts';
import type { Endpoint } from './endpoint.ts';
import { StreamCall, UnaryCall, requestHeaders } from '../grpc/call.ts';
import type { Method, StreamCallHandler, UnaryOutcome } from '../grpc/call.ts';
import { GrpcCode } from '../grpc/status.ts';
import type { Http2Connection } from '../http2/client/connection.ts';

/** A member that has lost its leader then says so instead of keeping us waiting. */
const metadata = [['hasleader', 'true']] as const;

/** One connection to one member, and what is known of that member. */
export class EtcdConnection {
  readonly endpoint: Endpoint;
  readonly http2: Http2Connection;
  /** `3.5.16`; empty when the server does not say. Cannot change while the connection lives. */
  version = '';
  readonly #headers = new Map<string, Buffer>();

  constructor(endpoint: Endpoint, http2: Http2Connection) {
    this.endpoint = endpoint;
    this.http2 = http2;
  }

  /** Starts a unary call; `body` is a whole gRPC message. @param traceparent names the span that it is a part of */
  unary<Response>(
    method: Method<Response>,
    body: Buffer,
    outcome: UnaryOutcome<Response>,
    traceparent?: string,
  ): UnaryCall<Response> {
    const call = new UnaryCall(method.decode, outcome, 'etcd');
    const headers =
      traceparent === undefined ? this.#headersOf(method.path) : this.#newHeaders(method.path, traceparent);
    call.start(this.http2, headers, body);
    return call;
  }

  /** Throws `unavailable` when the connection has ended. */
  stream<Message>(method: Method<Message>, handler: StreamCallHandler<Message>): StreamCall<Message> {
    if (this.http2.draining) throw unavailable('the connection to etcd was lost', { unprocessed: true });
    const call = new StreamCall(method.decode, handler, 'etcd');
    call.start(this.http2, this.#headersOf(method.path));
    return call;
  }

  /** A call outside the client's bookkeeping, for greeting a member. Ends when the connection does. */
  ask<Response>(method: Method<Response>, body: Buffer, signal: AbortSignal): Promise<Response> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => call.abort(new EtcdError(GrpcCode.cancelled, 'aborted'));
      const settle = (): void => signal.removeEventListener('abort', onAbort);
      const call = this.unary(method, body, {
        resolve: (response) => (settle(), resolve(response)),
        reject: (error) => (settle(), reject(error)),
      });
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #headersOf(path: string): Buffer {
    let headers = this.#headers.get(path);
    if (headers === undefined) {
      headers = this.#newHeaders(path);
      this.#headers.set(path, headers);
    }
    return headers;
  }

  #newHeaders(path: string, traceparent?: string): Buffer {
    const { authority, secure } = this.endpoint;
    const all = traceparent === undefined ? metadata : ([...metadata, ['traceparent', traceparent]] as const);
    return requestHeaders(path, { authority, secure, metadata: all });
  }
}
