/**
 * Calls a program over one connection without TLS: a Unix socket, or a port. A call waits until the program is there,
 * and goes again when it certainly was not processed; how long, its signal says.
 */
import net from 'node:net';
import { abortable } from '../base/abortable.ts';
import type { Dialer } from '../base/dialer.ts';
import { type Clock, sleep, systemClock } from '../base/clock.ts';
import { type Method, requestHeaders, StreamCall, UnaryCall } from './call.ts';
import { GrpcError } from './grpc-error.ts';
import { Http2Connection } from '../http2/client/connection.ts';
import { GrpcCode } from './status.ts';

/** A socket by its path, `@name` in Linux's abstract namespace; or a port. */
export type GrpcAddress = { readonly path: string } | { readonly host: string; readonly port: number };

export interface GrpcClientOptions {
  readonly address: GrpcAddress;
  /** What messages call the program. */
  readonly peer: string;
  /** Opens connections to a port, where they do not go straight to it. */
  readonly dial?: Dialer | undefined;
  readonly clock?: Clock;
  /** Of an answer, in bytes; a longer one is an error of its call. 2 GiB when absent. */
  readonly maxMessageBytes?: number;
  /** A program that is not there is an error at once; else a call waits for it. */
  readonly failsFast?: boolean;
}

const backoff = { firstMs: 50, maxMs: 1000 };
const connectionOptions = { streamWindowBytes: 1 << 20, keepaliveMs: 30_000, keepaliveTimeoutMs: 10_000 };

export class GrpcClient {
  readonly #address: GrpcAddress;
  readonly #peer: string;
  readonly #dial: Dialer | undefined;
  readonly #clock: Clock;
  readonly #maxMessageBytes: number | undefined;
  readonly #failsFast: boolean;
  readonly #closed = new AbortController();
  readonly #headers = new Map<string, Buffer>();
  #connection: Promise<Http2Connection> | undefined;
  #failures = 0;

  constructor({ address, peer, dial, clock = systemClock, maxMessageBytes, failsFast = false }: GrpcClientOptions) {
    this.#failsFast = failsFast;
    this.#maxMessageBytes = maxMessageBytes;
    this.#address = address;
    this.#peer = peer;
    this.#dial = dial;
    this.#clock = clock;
  }

  /** @param body a whole gRPC message */
  async call<Response>(method: Method<Response>, body: Buffer, signal: AbortSignal): Promise<Response> {
    const ended = AbortSignal.any([signal, this.#closed.signal]);
    // A caller waits for this, and the unreferenced timers of the clock alone would let the process end.
    const hold = setInterval(() => {}, 2 ** 30);
    let last: GrpcError | undefined;
    try {
      while (!ended.aborted) {
        try {
          return await this.#send(await this.#connect(ended), method, body, ended);
        } catch (error) {
          if (!(error instanceof GrpcError) || !error.unprocessed) throw error;
          // A connection that was lost is opened again; one that cannot be is not.
          if (this.#failsFast && this.#failures > 0) throw error;
          last = error;
        }
        await sleep(this.#clock, Math.min(backoff.maxMs, backoff.firstMs * 2 ** Math.min(this.#failures, 10)), ended);
      }
    } finally {
      clearInterval(hold);
    }
    throw this.#gaveUp(ended, last);
  }

  /**
   * Calls a method that answers with several messages. Resolves when the program ends them with OK; rejects with a
   * `GrpcError` for another end, or when `onMessage` throws.
   * @param body a whole gRPC message
   */
  async stream<Response>(
    { path, decode }: Method<Response>,
    body: Buffer,
    signal: AbortSignal,
    onMessage: (message: Response) => void,
  ): Promise<void> {
    const ended = AbortSignal.any([signal, this.#closed.signal]);
    const connection = await this.#connect(ended);
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => call.abort(this.#gaveUp(ended));
      const settle = (error?: unknown): void => {
        ended.removeEventListener('abort', onAbort);
        if (error === undefined) resolve();
        else reject(error as Error);
      };
      const call = new StreamCall<Response>(
        decode,
        {
          onMessage(message) {
            try {
              onMessage(message);
            } catch (error) {
              call.cancel();
              settle(error);
            }
          },
          onEnd: settle,
        },
        this.#peer,
        this.#maxMessageBytes,
      );
      ended.addEventListener('abort', onAbort, { once: true });
      call.start(connection, this.#headersOf(path));
      call.sendLast(body);
    });
  }

  close(): void {
    this.#closed.abort();
    void this.#connection?.then(
      (connection) => connection.destroy(new Error('the client was closed')),
      () => undefined,
    );
  }

  #gaveUp(signal: AbortSignal, last?: GrpcError): GrpcError {
    const why = last === undefined ? '' : `: ${last.message}`;
    if (this.#closed.signal.aborted) return new GrpcError(GrpcCode.cancelled, `the client of ${this.#peer} is closed`);
    const isTimeout = signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
    return isTimeout
      ? new GrpcError(GrpcCode.deadlineExceeded, `${this.#peer} did not answer in time${why}`)
      : new GrpcError(GrpcCode.cancelled, 'the caller gave up');
  }

  #send<Response>(
    connection: Http2Connection,
    { path, decode }: Method<Response>,
    body: Buffer,
    signal: AbortSignal,
  ): Promise<Response> {
    if (connection.draining)
      throw new GrpcError(GrpcCode.unavailable, `the connection to ${this.#peer} was lost`, { unprocessed: true });
    const block = this.#headersOf(path);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => call.abort(this.#gaveUp(signal));
      const settle = (): void => signal.removeEventListener('abort', onAbort);
      const call = new UnaryCall(
        decode,
        {
          resolve: (response) => (settle(), resolve(response)),
          reject: (error) => (settle(), reject(error)),
        },
        this.#peer,
        this.#maxMessageBytes,
      );
      signal.addEventListener('abort', onAbort, { once: true });
      call.start(connection, block, body);
    });
  }

  #headersOf(path: string): Buffer {
    let headers = this.#headers.get(path);
    if (headers === undefined)
      this.#headers.set(
        path,
        (headers = requestHeaders(path, { authority: authorityOf(this.#address), secure: false })),
      );
    return headers;
  }

  /** The one connection, opened again when it is lost. Throws `unprocessed` when the program does not listen. */
  async #connect(signal: AbortSignal): Promise<Http2Connection> {
    const connecting = (this.#connection ??= this.#open());
    try {
      const connection = await abortable(connecting, signal);
      this.#failures = 0;
      return connection;
    } catch (error) {
      if (signal.aborted) throw this.#gaveUp(signal);
      this.#forget(connecting);
      this.#failures++;
      throw new GrpcError(GrpcCode.unavailable, `connection to ${this.#peer}: ${(error as Error).message}`, {
        unprocessed: true,
        cause: error,
      });
    }
  }

  #open(): Promise<Http2Connection> {
    const opening = (async () => {
      const address = this.#address;
      const socket =
        this.#dial === undefined || 'path' in address
          ? net.connect(dialed(address))
          : await this.#dial(address, this.#closed.signal);
      const connection = new Http2Connection(socket, {
        ...connectionOptions,
        clock: this.#clock,
        onDraining: () => this.#forget(opening),
      });
      await connection.ready;
      return connection;
    })();
    return opening;
  }

  #forget(connection: Promise<Http2Connection>): void {
    if (this.#connection === connection) this.#connection = undefined;
  }
}

const authorityOf = (address: GrpcAddress): string =>
  'path' in address
    ? 'localhost'
    : `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;

const dialed = (address: GrpcAddress): net.NetConnectOpts =>
  'path' in address && address.path.startsWith('@') ? { path: `\0${address.path.slice(1)}` } : { ...address };
