/**
 * One TLS port that speaks HTTP/2 and HTTP/1.1 (ALPN, RFC 7301). Each connection is handed to what speaks its
 * protocol; both end in the same handler.
 */
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { ServerConnection } from '../http2/server/connection.ts';
import type { ApiResponse, Exchange } from './exchange.ts';
import { unlimited } from '../base/memory-quota.ts';
import { type MemoryLimits, TransportMemory, defaultLimits } from './memory.ts';
import type { Evicted } from './report-evictions.ts';
import { asksForUpgrade, Http1Exchange, isRead } from './http1/exchange.ts';
import { Http2Exchange } from './http2/exchange.ts';
import { Http1Connections } from './http1/connections.ts';
import { ParserFeed } from './http1/parser-feed.ts';
import { ProtocolErrors } from './http1/protocol-errors.ts';
import { asksToLeave, http1Outlet, http2Outlet, respond } from './response-writer.ts';
import { createTlsServer, type ServingTls } from './tls/certificate-reload.ts';
import { Pipelining } from './http1/pipelining.ts';
import { serveUpgrades } from './http1/upgrades.ts';
import { WebSockets } from './web-sockets.ts';

export interface TransportOptions {
  readonly address: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly tls: ServingTls;
  /** Bind with SO_REUSEPORT. */
  readonly sharePort?: boolean;
  /** How long a client may take for the first request of a connection, and for the head of each. */
  readonly headTimeoutMs?: number;
  /** How long an answer may wait to be taken, without a byte of it leaving. */
  readonly stallTimeoutMs?: number;
  /**
   * How long requests over HTTP/1.1 may wait behind an answer that has begun and has no end, before they are
   * dropped.
   */
  readonly dropTimeoutMs?: number;
  /** How long a connection over HTTP/2 that was told to go may stay, whatever is open on it. */
  readonly leaveTimeoutMs?: number;
  /** `--http2-max-streams-per-connection`; 0 means our default of 250. */
  readonly maxStreamsPerConnection: number;
  /** The memory that all clients together may occupy; by default as the heap of this process allows. */
  readonly memory?: MemoryLimits;
  /** Called for each answer or connection that is ended to keep these limits. */
  readonly onEvict?: (kind: Evicted) => void;
  readonly onHandshakeError?: () => void;
  readonly handle: (exchange: Exchange) => Promise<ApiResponse>;
}

export interface Transport {
  readonly port: number;
  /**
   * Accepts no connection any more, and asks clients to leave those there are (GOAWAY, `Connection: close`). What is in
   * work goes on.
   */
  leave(): void;
  /** The same, and resolves when all connections have ended; after `graceMs` what is left is destroyed. */
  close(graceMs: number): Promise<void>;
}

const defaultMaxStreams = 250;
/** Of all headers of a request. */
const maxHeaderBytes = 1 << 20;
/** As upstream: a little less than what a request may take. */
const usualHeadTimeoutMs = 32_000;
const idleTimeoutMs = 90_000;
const usualStallTimeoutMs = 120_000;
const usualDropTimeoutMs = 5_000;
const usualLeaveTimeoutMs = 3_600_000;
/**
 * A body that is not read must not starve the other streams of its connection, so the connection's window is as large
 * as those of many streams.
 */
const connectionWindow = 16 * 1024 * 1024;
const streamWindow = 1024 * 1024;

export async function listen(given: TransportOptions): Promise<Transport> {
  const options = { ...given, handle: answerForServer(given.handle) };
  const connections = new Map<string, Socket>();
  const http2 = new Set<ServerConnection>();
  let closed: Promise<void> | undefined;
  const plain = new Http1Connections(options.stallTimeoutMs ?? usualStallTimeoutMs);
  const memory = new TransportMemory(options.memory ?? defaultLimits(), options.onEvict ?? (() => undefined));
  const webSockets = new WebSockets(memory.answers);
  const h1 = createHttp1(options, { connections: plain, webSockets, memory });
  const { server, stop } = createTlsServer(options.tls, (socket) => {
    if (socket.alpnProtocol === 'h2') {
      const connection = serveHttp2(options, socket, { connections: http2, memory });
      // It was on its way when the others were asked to leave.
      if (closed !== undefined) connection.leave();
    } else h1.emit('connection', socket);
  });
  server.on('connection', (socket: Socket) => {
    const ends = endsOf(socket);
    connections.set(ends, socket);
    socket.once('close', () => {
      if (connections.get(ends) === socket) connections.delete(ends);
    });
  });
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    options.onHandshakeError?.();
    if (error.code === 'ERR_SSL_HTTP_REQUEST') connections.get(endsOf(socket))?.write(withoutTls);
    socket.destroy();
  });
  server.once('close', stop);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(
      { port: options.port, host: options.address, ...(options.sharePort === true ? { reusePort: true } : {}) },
      resolve,
    );
  });
  const leave = (): Promise<void> => {
    if (closed !== undefined) return closed;
    closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const connection of http2) connection.leave();
    webSockets.leave();
    plain.leave();
    // Ends looking after times; it never listened.
    h1.close(() => undefined);
    return closed;
  };
  return {
    port: (server.address() as AddressInfo).port,
    leave: () => void leave(),
    async close(graceMs) {
      const timer = setTimeout(() => connections.forEach((socket) => socket.destroy()), graceMs);
      await leave();
      clearTimeout(timer);
    },
  };
}

/** As upstream says it. */
const withoutTls = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

/** The same for a connection and for the TLS one that it carries, which stays open while a failed handshake is told. */
const endsOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;

/**
 * `OPTIONS *` asks whether there is an HTTP server (RFC 9110 section 9.3.7), which every client may know; it passes no
 * filter, as upstream.
 */
const answerForServer =
  (handle: TransportOptions['handle']): TransportOptions['handle'] =>
  (exchange) =>
    exchange.method === 'OPTIONS' && exchange.target === '*'
      ? Promise.resolve({ status: 200, headers: {}, body: '' })
      : handle(exchange);

interface Http1Parts {
  readonly connections: Http1Connections;
  readonly webSockets: WebSockets;
  readonly memory: TransportMemory;
}

function createHttp1(
  { handle, headTimeoutMs = usualHeadTimeoutMs, dropTimeoutMs = usualDropTimeoutMs }: TransportOptions,
  { connections, webSockets, memory }: Http1Parts,
): http.Server {
  const server = http.createServer({
    requestTimeout: 0,
    headersTimeout: headTimeoutMs,
    connectionsCheckingInterval: Math.min(headTimeoutMs, 5000),
    keepAliveTimeout: 180_000,
    maxHeaderSize: maxHeaderBytes,
    requireHostHeader: false,
  });
  // Their bytes are limited. A limit of their number would drop the last ones, and those may name the impersonated
  // user.
  server.maxHeadersCount = 0;
  // It never listens itself, and would not look after the time of connections that are handed to it.
  server.emit('listening');
  const pipelining = new Pipelining();
  const feeds = new WeakMap<Socket, ParserFeed>();
  server.on('connection', (socket: Socket) => {
    feeds.set(socket, new ParserFeed(socket, () => pipelining.isBusy(socket), memory.heads));
    socket.setTimeout(headTimeoutMs);
    connections.add(socket, () => feeds.get(socket)?.closed());
  });
  const protocolErrors = new ProtocolErrors(server, pipelining, feeds);
  const upgrades = serveUpgrades({
    server,
    handle,
    pipelining,
    feeds,
    protocolErrors,
    connections,
    webSockets,
    memory,
  });
  /** Begins a request when those before it are answered. */
  const take = ({ socket }: http.IncomingMessage, response: http.ServerResponse, begin: () => void): void => {
    pipelining.take(socket, response, () => {
      feeds.get(socket)?.begun();
      begin();
    });
    response.once('close', () => feeds.get(socket)?.goOn());
  };
  const serve = (message: http.IncomingMessage, response: http.ServerResponse): void => {
    const feed = feeds.get(message.socket);
    feed?.parsed(message);
    const headBytes = feed?.headBytes ?? 0;
    if (protocolErrors.refuses(message)) return;
    response.once('close', connections.begin(message.socket));
    const upgrade = upgrades.ignored(message) ?? asksForUpgrade(message);
    take(message, response, () => {
      message.socket.setTimeout(0);
      void answerHttp1(message, { response, upgrade, headBytes });
    });
  };
  const answerHttp1 = async (
    message: http.IncomingMessage,
    { response, upgrade, headBytes }: { response: http.ServerResponse; upgrade: string | undefined; headBytes: number },
  ): Promise<void> => {
    const head = memory.trackHead(headBytes, () => message.socket.destroy());
    const reservation = message.complete ? unlimited : memory.bodies.open();
    const exchange = new Http1Exchange(message, { response, upgrade, reservation });
    const answer = await handle(exchange);
    if (head !== undefined || 'stream' in answer) exchange.forgetHeaders();
    head?.set(0);
    // An unread body would be taken for the next request.
    if (!isRead(message) || connections.isLeaving) response.shouldKeepAlive = false;
    if ('stream' in answer)
      feeds
        .get(message.socket)
        ?.lasts(dropTimeoutMs, () => response.once('finish', () => message.socket.destroySoon()));
    await respond(http1Outlet(message, response, memory.answers), answer, message.method === 'HEAD');
    reservation.close();
  };
  server.on('request', serve);
  server.on('checkContinue', serve);
  // An expectation of its own that no server knows: upstream ends the connection with the answer.
  server.on('checkExpectation', (message, response) => {
    feeds.get(message.socket)?.parsed(message);
    take(message, response, () => void response.writeHead(417, { connection: 'close', 'content-length': 0 }).end());
  });
  return server;
}

interface Http2Parts {
  readonly connections: Set<ServerConnection>;
  readonly memory: TransportMemory;
}

function serveHttp2(
  { handle, maxStreamsPerConnection, headTimeoutMs, stallTimeoutMs, leaveTimeoutMs }: TransportOptions,
  socket: TLSSocket,
  { connections, memory }: Http2Parts,
): ServerConnection {
  const connection: ServerConnection = new ServerConnection(socket, {
    maxStreams: maxStreamsPerConnection || defaultMaxStreams,
    streamWindowBytes: streamWindow,
    connectionWindowBytes: connectionWindow,
    maxHeaderListBytes: maxHeaderBytes,
    idleMs: headTimeoutMs ?? idleTimeoutMs,
    stallMs: stallTimeoutMs ?? usualStallTimeoutMs,
    leaveMs: Math.min(leaveTimeoutMs ?? usualLeaveTimeoutMs, 2 ** 31 - 1),
    memory,
    onRequest: async (stream) => {
      const head = memory.trackHead(stream.headBytes, () => socket.destroy());
      const exchange = new Http2Exchange(stream, socket);
      const isHead = exchange.method === 'HEAD';
      const answer = await handle(exchange);
      if (head !== undefined || 'stream' in answer) exchange.forgetHeaders();
      head?.set(0);
      // Also a client that did not wait for its answer is to go.
      if (stream.closed && asksToLeave(answer.headers)) connection.leave();
      return respond(http2Outlet(stream, connection), answer, isHead);
    },
  });
  connections.add(connection);
  socket.once('close', () => connections.delete(connection));
  return connection;
}
