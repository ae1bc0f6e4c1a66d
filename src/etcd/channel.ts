import type { Dialer } from '../base/dialer.ts';
import { sleep } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { EtcdConnection } from './connection.ts';
import { DialError, dialFirst } from './dialer.ts';
import { connectSocket } from './endpoint.ts';
import type { Endpoint, TlsFiles } from './endpoint.ts';
import { unavailable } from './etcd-error.ts';
import { Http2Connection } from '../http2/client/connection.ts';
import type { ConnectionOptions } from '../http2/client/connection.ts';

export interface ChannelOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly endpoints: readonly Endpoint[];
  readonly tls: TlsFiles;
  /** The way to the members, where it is not straight. */
  readonly dial?: Dialer | undefined;
  readonly dialTimeoutMs: number;
  readonly connection: Omit<ConnectionOptions, 'clock' | 'onDraining'>;
  /** Streams on one connection; a further one opens a further connection. */
  readonly maxStreams: number;
  /** Asks a new connection for the server's status, before anything else is sent. */
  readonly greet: (connection: EtcdConnection, signal: AbortSignal) => Promise<void>;
}

const staggerMs = 1_000;
const backoff = { firstMs: 50, maxMs: 2_000 };

/**
 * Connections to the members of one etcd cluster: usually one, to the member that worked last. When it is lost the
 * next member in the list is tried. Nothing reconnects in the background: the next call does, so that an unused
 * channel is quiet.
 */
export class Channel {
  readonly #options: ChannelOptions;
  readonly #connections: EtcdConnection[] = [];
  readonly #closed = new AbortController();
  #preferred = 0;
  #dialing: Promise<EtcdConnection> | undefined;
  #failedRounds = 0;
  #notBeforeMs = 0;

  constructor(options: ChannelOptions) {
    this.#options = options;
  }

  /** A connection that can carry one more stream now. */
  current(): EtcdConnection | undefined {
    for (const connection of this.#connections) {
      if (connection.http2.activeStreams < Math.min(this.#options.maxStreams, connection.http2.maxStreams))
        return connection;
    }
    // Short calls can wait for a free stream; streams that stay open would wait for ever.
    return this.#options.maxStreams === Infinity ? this.#connections[0] : undefined;
  }

  /**
   * Waits for a connection. Tries each endpoint once and throws `unavailable` with the reason of each; a call soon
   * after that waits a little (exponential, up to 2 s) before it tries again.
   */
  connect(): Promise<EtcdConnection> {
    const current = this.current();
    if (current !== undefined) return Promise.resolve(current);
    this.#dialing ??= this.#dial().finally(() => (this.#dialing = undefined));
    return this.#dialing;
  }

  /** Prefers another member: this one answers, but cannot serve. What runs on the connection goes on. */
  leave(connection: EtcdConnection, reason: Error): void {
    if (this.#options.endpoints.length > 1) connection.http2.retire(reason);
  }

  close(): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    for (const connection of [...this.#connections]) connection.http2.destroy(new Error('the client was closed'));
  }

  async #dial(): Promise<EtcdConnection> {
    const { clock, endpoints, dialTimeoutMs, log } = this.#options;
    // A caller waits for this, and the unreferenced timers of the clock alone would let the process end.
    const hold = setInterval(() => {}, 2 ** 30);
    const waitMs = this.#notBeforeMs - clock.now();
    if (waitMs > 0) await sleep(clock, waitMs, this.#closed.signal);
    const order = [...endpoints.slice(this.#preferred), ...endpoints.slice(0, this.#preferred)];
    try {
      const connection = await dialFirst({
        clock,
        endpoints: order,
        timeoutMs: dialTimeoutMs,
        staggerMs,
        signal: this.#closed.signal,
        dial: (endpoint, signal) => this.#open(endpoint, signal),
        discard: (late) => late.http2.destroy(new Error('another endpoint answered first')),
      });
      return this.#adopt(connection);
    } catch (error) {
      if (!(error instanceof DialError)) throw error;
      if (this.#closed.signal.aborted) throw unavailable('the etcd client is closed', { unprocessed: true });
      this.#postpone();
      if (this.#failedRounds === 1) log.warn({ reason: error.message }, 'no etcd endpoint answers');
      throw unavailable(`no etcd endpoint answers: ${error.message}`, { unprocessed: true, cause: error });
    } finally {
      clearInterval(hold);
    }
  }

  #adopt(connection: EtcdConnection): EtcdConnection {
    this.#connections.push(connection);
    this.#preferred = this.#options.endpoints.indexOf(connection.endpoint);
    const { log } = this.#options;
    const fields = { endpoint: connection.endpoint.url, version: connection.version };
    if (this.#failedRounds > 0) log.info(fields, 'connected to etcd again');
    else log.debug(fields, 'connected to etcd');
    this.#failedRounds = 0;
    // It may have been lost between the greeting and now.
    if (connection.http2.draining) this.#forget(connection, new Error('the connection was lost at once'));
    return connection;
  }

  #postpone(): void {
    const delay = Math.min(backoff.maxMs, backoff.firstMs * 2 ** this.#failedRounds++);
    this.#notBeforeMs = this.#options.clock.now() + delay * (0.75 + Math.random() / 4);
  }

  async #open(endpoint: Endpoint, signal: AbortSignal): Promise<EtcdConnection> {
    const { clock, tls, dial, connection: options, greet } = this.#options;
    const socket = await connectSocket(endpoint, tls, signal, dial);
    const http2 = new Http2Connection(socket, {
      ...options,
      clock,
      onDraining: (reason) => this.#forget(connection, reason),
    });
    const connection = new EtcdConnection(endpoint, http2);
    const giveUp = (): void => http2.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      await http2.ready;
      await greet(connection, signal);
      return connection;
    } catch (error) {
      http2.destroy(error as Error);
      throw signal.aborted ? signal.reason : error;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  #forget(connection: EtcdConnection, reason: Error): void {
    const index = this.#connections.indexOf(connection);
    if (index < 0) return;
    this.#connections.splice(index, 1);
    const { endpoints, log } = this.#options;
    this.#preferred = (endpoints.indexOf(connection.endpoint) + 1) % endpoints.length;
    if (!this.#closed.signal.aborted)
      log.warn({ endpoint: connection.endpoint.url, reason: reason.message }, 'the connection to etcd is lost');
  }
}
