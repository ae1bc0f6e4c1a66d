/**
 * Calls to a KMS plugin: gRPC over a unix socket. The connection is made when it is needed, and made again when it was
 * lost.
 */
import net from 'node:net';
import { sleep, systemClock } from '../../../base/clock.ts';
import { type Method, requestHeaders, UnaryCall } from '../../../grpc/call.ts';
import { GrpcError } from '../../../grpc/grpc-error.ts';
import { Http2Connection } from '../../../http2/client/connection.ts';
import { readableSocketError } from '../../../http2/client/socket-error.ts';
import { GrpcCode } from '../../../grpc/status.ts';

/** Why a plugin did not do what it was asked for. */
export class KmsError extends Error {
  override readonly name = 'KmsError';
  /** As the metrics call it. */
  readonly status: string;

  constructor(code: GrpcCode, message: string, details: { cause?: unknown } = {}) {
    const status = statusNames.get(code) ?? 'Unknown';
    super(`rpc error: code = ${status} desc = ${message}`, details);
    this.status = status;
  }
}

/** The code that an error carries, also one that another error was made of. */
export function kmsStatusOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof KmsError) return at.status;
  return undefined;
}

/** `deadlineExceeded` → `DeadlineExceeded`, but for the two that Go spells in its own way. */
const statusNames = new Map<GrpcCode, string>(
  Object.entries(GrpcCode).map(([name, code]) => [
    code,
    name === 'cancelled' ? 'Canceled' : name === 'ok' ? 'OK' : name[0]!.toUpperCase() + name.slice(1),
  ]),
);

export interface KmsClientOptions {
  /** `unix:///run/kms/socket.sock`; a name that begins with `@` is an abstract one. */
  readonly endpoint: string;
  readonly timeoutMs: number;
  readonly onCall?: (method: string, seconds: number, error: unknown) => void;
}

const connectionOptions = {
  clock: systemClock,
  streamWindowBytes: 1024 * 1024,
  keepaliveMs: 30_000,
  keepaliveTimeoutMs: 10_000,
};
const redialMs = 100;

export class KmsClient {
  readonly #path: string;
  readonly #options: KmsClientOptions;
  readonly #closed = new AbortController();
  #connection: Http2Connection | undefined;
  #dialing: Promise<Http2Connection> | undefined;

  constructor(options: KmsClientOptions) {
    this.#path = socketPath(options.endpoint);
    this.#options = options;
  }

  /** Waits for a plugin that is not there yet, as long as a call may take. Rejects with a `KmsError`. */
  async call<Response>(method: Method<Response>, body: Buffer): Promise<Response> {
    const { timeoutMs, onCall } = this.#options;
    const started = performance.now();
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    try {
      const response = await this.#call(method, body, AbortSignal.any([timeout.signal, this.#closed.signal]));
      onCall?.(method.path, (performance.now() - started) / 1000, undefined);
      return response;
    } catch (error) {
      const told = this.#told(error, timeout.signal);
      onCall?.(method.path, (performance.now() - started) / 1000, told);
      throw told;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#closed.abort();
    this.#connection?.destroy(new Error('the client was closed'));
  }

  #told(error: unknown, timeout: AbortSignal): KmsError {
    if (this.#closed.signal.aborted)
      return new KmsError(GrpcCode.cancelled, 'grpc: the client connection is closing', { cause: error });
    if (timeout.aborted) return new KmsError(GrpcCode.deadlineExceeded, 'context deadline exceeded', { cause: error });
    return error instanceof GrpcError
      ? new KmsError(error.code, error.message, { cause: error.cause })
      : new KmsError(GrpcCode.unavailable, (error as Error).message, { cause: error });
  }

  async #call<Response>(method: Method<Response>, body: Buffer, signal: AbortSignal): Promise<Response> {
    const connection = await this.#connect(signal);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => call.abort(new GrpcError(GrpcCode.cancelled, 'the caller gave up'));
      const done = (): void => signal.removeEventListener('abort', onAbort);
      const call = new UnaryCall(
        method.decode,
        { resolve: (response) => (done(), resolve(response)), reject: (error) => (done(), reject(error)) },
        'the KMS plugin',
      );
      signal.addEventListener('abort', onAbort, { once: true });
      call.start(connection, requestHeaders(method.path, { authority: 'localhost', secure: false }), body);
    });
  }

  /** Tries again and again until `signal` says that it was long enough; the last attempt's error tells why. */
  async #connect(signal: AbortSignal): Promise<Http2Connection> {
    for (;;) {
      if (this.#connection !== undefined && !this.#connection.draining) return this.#connection;
      this.#dialing ??= this.#dial(signal).finally(() => (this.#dialing = undefined));
      try {
        return await this.#dialing;
      } catch (error) {
        if (signal.aborted) throw error;
        await sleep(systemClock, redialMs, signal);
        if (signal.aborted) throw error;
      }
    }
  }

  async #dial(signal: AbortSignal): Promise<Http2Connection> {
    const socket = await connect(this.#path, signal);
    const connection = new Http2Connection(socket, connectionOptions);
    const giveUp = (): void => connection.destroy(new Error('the plugin does not answer'));
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      await connection.ready;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
    // An unused connection must not keep the process alive.
    socket.unref();
    return (this.#connection = connection);
  }
}

/** Throws for what is no unix socket. */
function socketPath(endpoint: string): string {
  const path = /^unix:(?:\/\/)?(.+)$/.exec(endpoint)?.[1];
  if (path === undefined)
    throw new Error(`unsupported endpoint ${JSON.stringify(endpoint)}: only unix sockets are supported`);
  const abstract = path.replace(/^\/@/, '@');
  return abstract.startsWith('@') ? `\0${abstract.slice(1)}` : path;
}

function connect(path: string, signal: AbortSignal): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ path });
    const fail = (error: Error): void => {
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
      reject(readableSocketError(error));
    };
    const onAbort = (): void => fail(new Error('the plugin does not answer'));
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('error', fail);
    socket.once('connect', () => {
      signal.removeEventListener('abort', onAbort);
      resolve(socket);
    });
  });
}
