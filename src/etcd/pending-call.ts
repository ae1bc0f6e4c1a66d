import { currentSpan, type Span } from '../base/span.ts';
import type { Clock, Timer } from '../base/clock.ts';
import type { Channel } from './channel.ts';
import type { EtcdConnection } from './connection.ts';
import { EtcdError, abortedBy } from './etcd-error.ts';
import type { Method, UnaryCall, UnaryOutcome } from '../grpc/call.ts';
import { GrpcCode } from '../grpc/status.ts';

export interface CallOptions {
  /** Changes nothing and may be sent again. Anything else is sent once. */
  readonly idempotent: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** What all calls of a client share. */
export interface CallContext {
  readonly clock: Clock;
  readonly channel: Channel;
  /** The call has its outcome. */
  done(call: RunningCall): void;
}

/** A call as its client sees it while it runs. */
export interface RunningCall {
  /** On the client's clock. */
  readonly deadline: number;
  expire(timeoutMs: number): void;
  abort(error: EtcdError): void;
}

const maxAttempts = 4;
const retryDelayMs = 50;

/**
 * One unary call from asking for it to its outcome: waits for a connection, and decides whether a failure may be
 * tried again.
 *
 * Again go: a read that found a member unavailable, and any call that certainly was not processed. A write that
 * reached the wire never goes again: etcd may have applied it, and its copy would answer "exists already".
 */
export class PendingCall<Response> implements UnaryOutcome<Response>, RunningCall {
  readonly #method: Method<Response>;
  readonly #body: Buffer;
  readonly #options: CallOptions;
  readonly #context: CallContext;
  readonly #outcome: UnaryOutcome<Response>;
  /** Below that of the request that asks: a later attempt may be made by the code of another one. */
  readonly #span: Span | undefined;
  readonly deadline: number;
  #connection: EtcdConnection | undefined;
  #call: UnaryCall<Response> | undefined;
  #retry: Timer | undefined;
  #attempts = 0;
  #settled = false;

  constructor(
    request: {
      readonly method: Method<Response>;
      readonly body: Buffer;
      readonly options: CallOptions;
      readonly deadline: number;
    },
    context: CallContext,
    outcome: UnaryOutcome<Response>,
  ) {
    this.#method = request.method;
    this.#span = callSpan(request.method.path);
    this.#body = request.body;
    this.#options = request.options;
    this.deadline = request.deadline;
    this.#context = context;
    this.#outcome = outcome;
  }

  start(): void {
    this.#options.signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#attempt();
  }

  /** Gives up now; a request under way is cancelled. */
  abort(error: EtcdError): void {
    this.#settle(error);
    this.#call?.abort(error);
    this.#outcome.reject(error);
  }

  /** No response arrived in time. The connection has to show that it is alive. */
  expire(timeoutMs: number): void {
    this.abort(new EtcdError(GrpcCode.deadlineExceeded, `etcd did not answer within ${timeoutMs} ms`));
    this.#connection?.http2.probe();
  }

  resolve(response: Response): void {
    if (this.#settled) return;
    this.#settle();
    this.#outcome.resolve(response);
  }

  reject(error: EtcdError): void {
    if (this.#settled) return;
    if (isMemberUnfit(error) && this.#connection !== undefined) this.#context.channel.leave(this.#connection, error);
    if (!this.#mayRetry(error)) return this.#fail(error);
    if (error.unprocessed) return this.#attempt();
    this.#retry = this.#context.clock.after(retryDelayMs * 2 ** this.#attempts * (0.5 + Math.random() / 2), () =>
      this.#attempt(),
    );
  }

  #attempt(): void {
    this.#attempts++;
    const connection = this.#context.channel.current();
    if (connection !== undefined) return this.#send(connection);
    this.#context.channel.connect().then(
      (connected) => this.#send(connected),
      (error: EtcdError) => this.#fail(error),
    );
  }

  #send(connection: EtcdConnection): void {
    if (this.#settled) return;
    this.#connection = connection;
    // The connection may have been lost between its promise and now.
    if (connection.http2.draining)
      return this.reject(new EtcdError(GrpcCode.unavailable, 'the connection to etcd was lost', { unprocessed: true }));
    this.#call = connection.unary(this.#method, this.#body, this, this.#span?.traceparent);
  }

  #mayRetry(error: EtcdError): boolean {
    if (this.#attempts >= maxAttempts) return false;
    return error.unprocessed || (this.#options.idempotent && error.code === GrpcCode.unavailable);
  }

  #fail(error: EtcdError): void {
    if (this.#settled) return;
    this.#settle(error);
    this.#outcome.reject(error);
  }

  #settle(error?: EtcdError): void {
    this.#settled = true;
    this.#endSpan(error);
    this.#retry?.cancel();
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#context.done(this);
  }

  #endSpan(error: EtcdError | undefined): void {
    if (this.#span === undefined) return;
    this.#span.set({ 'rpc.grpc.status_code': error?.code ?? GrpcCode.ok });
    if (error !== undefined) this.#span.fail(error);
    this.#span.end();
  }

  readonly #onAbort = (): void => this.abort(abortedBy(this.#options.signal!));
}

/** `etcdserverpb.KV/Range`, under the names that clients of gRPC have in OpenTelemetry. */
function callSpan(path: string): Span | undefined {
  const parent = currentSpan();
  if (parent === undefined) return undefined;
  const [service = '', method = ''] = path.slice(1).split('/');
  return parent.call(`${service}/${method}`, { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': method });
}

/** The member answers, but is cut off from the others: another member can serve. */
function isMemberUnfit(error: EtcdError): boolean {
  return error.code === GrpcCode.unavailable && error.message.startsWith('etcdserver: ') && !error.unprocessed;
}
