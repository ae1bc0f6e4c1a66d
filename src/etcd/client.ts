/**
 * etcd's API (v3) over gRPC: KV, Watch, Lease and Maintenance, as far as a store needs them.
 *
 * Watches have a connection of their own: over TLS, etcd before 3.4.25 and 3.5.8 can starve them behind large answers
 * on the same connection. Calls are sent once unless they are reads (see `PendingCall`).
 *
 * @see {@link https://etcd.io/docs/v3.5/learning/api/ | etcd API}
 */
import type { Dialer } from '../base/dialer.ts';
import { systemClock } from '../base/clock.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import type { Logger } from '../base/logger.ts';
import { Channel } from './channel.ts';
import { EtcdConnection } from './connection.ts';
import { decodeHeaderResponse, decodeLeaseGrant, decodeRange, decodeStatus, decodeTxn } from './decode.ts';
import { encodeCompaction, encodeEmpty, encodeLeaseGrant, encodeRange, encodeTxn } from './encode.ts';
import { connectSocket, parseEndpoint } from './endpoint.ts';
import type { Endpoint, TlsFiles } from './endpoint.ts';
import { EtcdError, abortedBy, unavailable } from './etcd-error.ts';
import type { Method } from '../grpc/call.ts';
import { GrpcCode } from '../grpc/status.ts';
import { Http2Connection } from '../http2/client/connection.ts';
import type {
  HeaderResponse,
  LeaseGrantResponse,
  RangeRequest,
  RangeResponse,
  StatusResponse,
  TxnRequest,
  TxnResponse,
} from './messages.ts';
import { PendingCall } from './pending-call.ts';
import type { CallContext, CallOptions, RunningCall } from './pending-call.ts';

export interface EtcdClientOptions {
  /** `https://10.0.0.1:2379`, …; tried in this order. */
  readonly endpoints: readonly string[];
  readonly tls?: TlsFiles;
  /** The way to the members, where it is not straight. */
  readonly dial?: Dialer | undefined;
  readonly clock?: Clock;
  readonly log?: Logger;
  /** How long one endpoint may take to connect. */
  readonly dialTimeoutMs?: number;
  /** How long a call may take, waiting for a connection and retries included. */
  readonly callTimeoutMs?: number;
  /** After so long a silence a connection in use is asked whether it lives. etcd refuses less than 5 s. */
  readonly keepaliveMs?: number;
  readonly keepaliveTimeoutMs?: number;
}

const defaults = { dialTimeoutMs: 5_000, callTimeoutMs: 10_000, keepaliveMs: 10_000, keepaliveTimeoutMs: 5_000 };

const rangeMethod: Method<RangeResponse> = { path: '/etcdserverpb.KV/Range', decode: decodeRange };
const txnMethod: Method<TxnResponse> = { path: '/etcdserverpb.KV/Txn', decode: decodeTxn };
const compactMethod: Method<HeaderResponse> = { path: '/etcdserverpb.KV/Compact', decode: decodeHeaderResponse };
const leaseGrantMethod: Method<LeaseGrantResponse> = {
  path: '/etcdserverpb.Lease/LeaseGrant',
  decode: decodeLeaseGrant,
};
const statusMethod: Method<StatusResponse> = { path: '/etcdserverpb.Maintenance/Status', decode: decodeStatus };

export class EtcdClient implements AsyncDisposable {
  readonly endpoints: readonly Endpoint[];
  /** Connections for watch streams. */
  readonly watches: Channel;
  readonly #calls: Channel;
  readonly #clock: Clock;
  readonly #tls: TlsFiles;
  readonly #dial: Dialer | undefined;
  readonly #timing: typeof defaults;
  readonly #pending = new Set<RunningCall>();
  readonly #context: CallContext;
  #sweep: Timer | undefined;
  #closed = false;
  #firstRevision = 0;
  #lastRevision = 0;

  constructor(options: EtcdClientOptions) {
    if (options.endpoints.length === 0) throw new Error('no etcd endpoint is given');
    this.#tls = options.tls ?? {};
    this.#dial = options.dial;
    this.#clock = options.clock ?? systemClock;
    this.#timing = withDefaults(options);
    const hasTls = this.#tls.caFile !== undefined || this.#tls.certFile !== undefined;
    this.endpoints = options.endpoints.map((endpoint) => parseEndpoint(endpoint, hasTls));
    const log = options.log ?? silentLogger;
    this.#calls = this.#channel(log, { streamWindowBytes: 4 * 1024 * 1024, maxStreams: Infinity });
    this.watches = this.#channel(log, { streamWindowBytes: 256 * 1024, maxStreams: 100 });
    this.#context = { clock: this.#clock, channel: this.#calls, done: (call) => this.#pending.delete(call) };
  }

  // ── KV ──

  range(request: RangeRequest, signal?: AbortSignal): Promise<RangeResponse> {
    return this.#call(rangeMethod, encodeRange(request), { idempotent: true, signal });
  }

  /** `idempotent` is for a transaction that only reads. */
  txn(request: TxnRequest, options: CallOptions): Promise<TxnResponse> {
    return this.#call(txnMethod, encodeTxn(request), options);
  }

  /** May be sent again: compacting twice does no harm. */
  compact(revision: number): Promise<HeaderResponse> {
    return this.#call(compactMethod, encodeCompaction(revision), { idempotent: true });
  }

  // ── Lease ──

  /** May be sent again: a lease whose id no client received expires by itself. */
  leaseGrant(ttlSeconds: number): Promise<LeaseGrantResponse> {
    return this.#call(leaseGrantMethod, encodeLeaseGrant(ttlSeconds), { idempotent: true });
  }

  // ── Maintenance ──

  /** Of the member that serves calls now. */
  status(signal?: AbortSignal): Promise<StatusResponse> {
    return this.#call(statusMethod, encodeEmpty(), { idempotent: true, signal });
  }

  /** Of one member, over a connection of its own. */
  async statusOf(endpoint: Endpoint, signal: AbortSignal): Promise<StatusResponse> {
    const socket = await connectSocket(endpoint, this.#tls, signal, this.#dial);
    const http2 = new Http2Connection(socket, { clock: this.#clock, streamWindowBytes: 64 * 1024, ...this.#timing });
    try {
      return await new EtcdConnection(endpoint, http2).ask(statusMethod, encodeEmpty(), signal);
    } finally {
      http2.destroy(new Error('the status is known'));
    }
  }

  // ── what has been seen ──

  /**
   * A revision from which to watch so as to hear of all that is written after this call: the last one seen, or the
   * first when none has been. Others may have written since; nothing this client is about to write is missed.
   */
  async revisionSeen(): Promise<number> {
    if (this.#lastRevision > 0) return this.#lastRevision;
    await this.#calls.connect();
    return this.#firstRevision;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#sweep?.cancel();
    for (const call of [...this.#pending]) call.abort(closedError());
    this.#calls.close();
    this.watches.close();
  }

  #call<Response extends HeaderResponse>(
    method: Method<Response>,
    body: Buffer,
    options: CallOptions,
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(closedError());
      if (options.signal?.aborted) return reject(abortedBy(options.signal));
      const deadline = this.#clock.now() + this.#timing.callTimeoutMs;
      const call = new PendingCall({ method, body, options, deadline }, this.#context, {
        resolve: (response) => {
          this.#saw(response.revision);
          resolve(response);
        },
        reject,
      });
      this.#pending.add(call);
      this.#sweep ??= this.#clock.after(this.#timing.callTimeoutMs, () => this.#expireCalls());
      call.start();
    });
  }

  /** One timer for all calls: a timer each would cost more than most of a call. */
  #expireCalls(): void {
    const now = this.#clock.now();
    let next = Infinity;
    for (const call of this.#pending) {
      if (call.deadline <= now) call.expire(this.#timing.callTimeoutMs);
      else next = Math.min(next, call.deadline);
    }
    this.#sweep = next === Infinity ? undefined : this.#clock.after(next - now, () => this.#expireCalls());
  }

  #saw(revision: number): void {
    if (revision > this.#lastRevision) this.#lastRevision = revision;
  }

  #channel(log: Logger, { streamWindowBytes, maxStreams }: { streamWindowBytes: number; maxStreams: number }): Channel {
    return new Channel({
      clock: this.#clock,
      log,
      endpoints: this.endpoints,
      tls: this.#tls,
      dial: this.#dial,
      dialTimeoutMs: this.#timing.dialTimeoutMs,
      connection: { streamWindowBytes, ...this.#timing },
      maxStreams,
      greet: (connection, signal) => this.#greet(connection, signal),
    });
  }

  /** Learns a member's version; throws when it cannot serve (no leader, a learner). */
  async #greet(connection: EtcdConnection, signal: AbortSignal): Promise<void> {
    try {
      const status = await connection.ask(statusMethod, encodeEmpty(), signal);
      if (status.isLearner) throw unavailable('the member is a learner');
      connection.version = status.version;
      this.#firstRevision ||= status.revision;
    } catch (error) {
      if (!(error instanceof EtcdError) || !statusRefusals.has(error.code)) throw error;
    }
  }
}

/** A client without the right to ask for the status, or a server without it: other calls can succeed all the same. */
const statusRefusals = new Set<GrpcCode>([GrpcCode.unimplemented, GrpcCode.permissionDenied, GrpcCode.unauthenticated]);

const closedError = (): EtcdError => new EtcdError(GrpcCode.cancelled, 'the etcd client is closed');

function withDefaults(options: EtcdClientOptions): typeof defaults {
  return {
    dialTimeoutMs: options.dialTimeoutMs ?? defaults.dialTimeoutMs,
    callTimeoutMs: options.callTimeoutMs ?? defaults.callTimeoutMs,
    keepaliveMs: options.keepaliveMs ?? defaults.keepaliveMs,
    keepaliveTimeoutMs: options.keepaliveTimeoutMs ?? defaults.keepaliveTimeoutMs,
  };
}
