/**
 * The connections to one API server: HTTP/2 where the server offers it, else HTTP/1.1.
 *
 * - Requests share an HTTP/2 connection up to the server's limit of streams; beyond it another connection is opened.
 * - A connection that carries requests and is silent for 30 s is asked by a ping whether the server lives (client-go's
 *   values); without an answer within 15 s its requests fail.
 * - Nothing reconnects in the background: the next request does.
 * - Another client certificate, when one is configured by files or by a plugin, opens new connections, and so does
 *   another version of the configuration. Those from before end with their requests.
 */
import type { WebSocket } from 'ws';
import { abortable } from '../../base/abortable.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { isPair } from '../../base/key-pair.ts';
import { Http2Connection } from '../../http2/client/connection.ts';
import type { ClientConfig } from '../client-config.ts';
import type { ConnectionObserver } from '../connection-observer.ts';
import { deadline } from '../deadline.ts';
import type { ClientPair } from '../transport-config.ts';
import { dial, type Dialed, type DialOptions } from './dial.ts';
import { Http1Agent } from './http1-agent.ts';
import { sendOverHttp2 } from './http2-request.ts';
import {
  ClientClosedError,
  notConnected,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
  type WebSocketRequest,
} from './message.ts';
import { proxySchemes } from './proxy-tunnel.ts';
import { openWebSocket } from './web-socket.ts';

export interface ApiTransportOptions {
  readonly clock?: Clock;
  /** Silence of a connection in use after which the server is asked whether it lives. */
  readonly pingAfterMs?: number;
  /** How long the server may take to answer that. */
  readonly pingTimeoutMs?: number;
  readonly observer?: ConnectionObserver;
}

const defaultPingAfterMs = 30_000;
const defaultPingTimeoutMs = 15_000;
/** One answer that is not read holds no more than this. */
const streamWindowBytes = 4 * 1024 * 1024;
/** As for connecting. */
const greetingTimeoutMs = 30_000;
const retired = new Error('the connection was replaced by one with other credentials');

/** Throws when URL, proxy or certificate cannot be used. */
export function createApiTransport(config: ClientConfig, options: ApiTransportOptions = {}): Transport {
  if (config.proxyUrl !== undefined && !proxySchemes.has(new URL(config.proxyUrl).protocol))
    throw new Error(`proxy-url ${JSON.stringify(config.proxyUrl)}: the scheme must be http, https or socks5`);
  return new ApiTransport(config, options);
}

/** The connections that show one certificate, by one version of the configuration. */
interface Connections {
  readonly pair: ClientPair | undefined;
  readonly version: unknown;
  readonly http2: Set<Http2Connection>;
  http1: Http1Agent | undefined;
  /** A connection that was opened before it was known that the server speaks HTTP/1.1. */
  spare: Dialed | undefined;
  dialing: Promise<void> | undefined;
}

class ApiTransport implements Transport {
  readonly #config: ClientConfig;
  readonly #options: ApiTransportOptions;
  readonly #clock: Clock;
  #url!: URL;
  /** Of the URL. */
  #authority!: string;
  #basePath!: string;
  readonly #fixedPair: ClientPair | undefined;
  readonly #closed = new AbortController();
  /** All that are open, also those that are ending. */
  readonly #http2 = new Set<Http2Connection>();
  readonly #http1 = new Set<Http1Agent>();
  readonly #webSockets = new Set<WebSocket>();
  #current: Connections | undefined;

  constructor(config: ClientConfig, options: ApiTransportOptions) {
    this.#config = config;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#setUrl(config.url);
    const { certificate, key } = config;
    if (certificate !== undefined && key !== undefined) {
      if (!isPair(certificate, key)) throw new Error('the client certificate and its key do not belong together');
      this.#fixedPair = { certificate, key };
    }
    options.observer?.opened?.();
  }

  async send(request: TransportRequest): Promise<TransportAnswer> {
    const renewing = this.#renewCertificate(request.signal);
    if (renewing !== undefined) await renewing;
    const message = (): TransportRequest => ({
      ...request,
      path: this.#pathOf(request.pathAtSend?.() ?? request.path),
    });
    for (;;) {
      request.signal.throwIfAborted();
      this.#closed.signal.throwIfAborted();
      // Looked up again after each wait: it may have been replaced.
      const current = this.#current!;
      // Opened at once: of the requests that wait for a connection each takes a free stream from the next one.
      for (const connection of current.http2)
        if (connection.activeStreams < connection.maxStreams)
          return sendOverHttp2(connection, this.#authority, message());
      if (current.http1 !== undefined) return current.http1.send(message());
      current.dialing ??= this.#open(current).finally(() => (current.dialing = undefined));
      await abortable(current.dialing, request.signal);
    }
  }

  async openWebSocket(request: WebSocketRequest): Promise<WebSocket> {
    const signal = AbortSignal.any([request.signal, this.#closed.signal]);
    await this.#renewCertificate(signal);
    signal.throwIfAborted();
    const { pair } = this.#current!;
    const target = { ...this.#config, url: this.#url, pair, onlyHttp1: true };
    const { socket } = await dial(target, signal, this.#dialOptions).catch((error: unknown) => {
      throw signal.aborted ? error : notConnected(error);
    });
    const webSocket = await openWebSocket(socket, this.#authority, {
      ...request,
      path: this.#pathOf(request.path),
      signal,
    });
    this.#webSockets.add(webSocket);
    webSocket.once('close', () => this.#webSockets.delete(webSocket));
    return webSocket;
  }

  async close(): Promise<void> {
    if (!this.#closed.signal.aborted) this.#options.observer?.closed?.();
    const reason = new ClientClosedError();
    this.#closed.abort(reason);
    for (const connection of this.#http2) connection.destroy(reason);
    for (const webSocket of this.#webSockets) webSocket.terminate();
    this.#current?.spare?.socket.destroy();
    await Promise.all([...this.#http1].map((agent) => agent.destroy()));
  }

  #renewCertificate(signal: AbortSignal): Promise<void> | undefined {
    const renewed = this.#config.renewedPair?.();
    if (renewed instanceof Promise)
      return abortable(renewed, signal).then((pair) => this.#show(pair ?? this.#fixedPair));
    this.#show(renewed ?? this.#fixedPair);
    return undefined;
  }

  #setUrl(url: string): void {
    this.#url = new URL(url);
    this.#authority = this.#url.host;
    this.#basePath = this.#url.pathname.replace(/\/$/, '');
  }

  /** The API may lie below a path of the server. */
  #pathOf(path: string): string {
    return this.#basePath + path;
  }

  /** New connections are opened with this certificate; those with another one, or to another server, end. */
  #show(pair: ClientPair | undefined): void {
    const before = this.#current;
    const version = this.#config.version?.();
    if (before !== undefined && before.pair === pair && before.version === version) return;
    if (before?.version !== version) this.#setUrl(this.#config.url);
    this.#current = { pair, version, http2: new Set(), http1: undefined, spare: undefined, dialing: undefined };
    if (before === undefined) return;
    for (const connection of [...before.http2]) connection.retire(retired);
    const { http1 } = before;
    http1?.retire().then(
      () => this.#http1.delete(http1),
      () => undefined,
    );
  }

  async #open(connections: Connections): Promise<void> {
    // Timers of the clock alone would let the process end while a caller waits.
    const hold = setInterval(() => undefined, 2 ** 30);
    try {
      const dialed = await this.#dial(connections.pair);
      if (dialed.isHttp2) return await this.#adopt(connections, dialed);
      connections.spare = dialed;
      connections.http1 = new Http1Agent(this.#url.origin, () => {
        const { spare } = connections;
        connections.spare = undefined;
        return spare === undefined || spare.socket.destroyed ? this.#dial(connections.pair) : Promise.resolve(spare);
      });
      this.#http1.add(connections.http1);
    } catch (error) {
      throw notConnected(error);
    } finally {
      clearInterval(hold);
    }
  }

  #dial(pair: ClientPair | undefined): Promise<Dialed> {
    return dial({ ...this.#config, url: this.#url, pair }, this.#closed.signal, this.#dialOptions);
  }

  get #dialOptions(): DialOptions {
    return { clock: this.#clock, observer: this.#options.observer };
  }

  async #adopt(connections: Connections, { socket }: Dialed): Promise<void> {
    const { pingAfterMs = defaultPingAfterMs, pingTimeoutMs = defaultPingTimeoutMs } = this.#options;
    const connection: Http2Connection = new Http2Connection(socket, {
      clock: this.#clock,
      streamWindowBytes,
      keepaliveMs: pingAfterMs,
      keepaliveTimeoutMs: pingTimeoutMs,
      onDraining: () => connections.http2.delete(connection),
    });
    this.#http2.add(connection);
    socket.once('close', () => this.#http2.delete(connection));
    const limited = deadline(this.#clock, greetingTimeoutMs, this.#closed.signal, 'the server sent no SETTINGS');
    limited.signal.addEventListener('abort', () => connection.destroy(limited.signal.reason as Error));
    try {
      await connection.ready;
    } finally {
      limited.end();
    }
    if (connection.draining) return;
    if (this.#current === connections) connections.http2.add(connection);
    else connection.retire(retired);
  }
}
