/**
 * Requests to leave HTTP/1.1 (RFC 9110 sections 7.8 and 9.3.6). Node stops reading a connection behind the head of such
 * a request and hands it over with what came after. From there,
 *
 * - a request without a body passes the chain. Its connection becomes a WebSocket of ours, is handed to a server behind
 *   this one, or goes back to HTTP/1.1 behind the answer;
 * - CONNECT passes the chain to be refused;
 * - the wish of a request with a body may be ignored: the connection goes back with the request in front, to be read
 *   to its end and answered like all others. Endpoints may still see what it asked for (`Exchange.upgrade`).
 */
import http from 'node:http';
import type { Socket } from 'node:net';
import type { ApiResponse, Exchange } from '../exchange.ts';
import { asksForUpgrade, Http1Exchange } from './exchange.ts';
import type { Http1Connections } from './connections.ts';
import type { TransportMemory } from '../memory.ts';
import type { ParserFeed } from './parser-feed.ts';
import type { ProtocolErrors } from './protocol-errors.ts';
import { http1Outlet, respond, upgradedOutlet } from '../response-writer.ts';
import type { Pipelining } from './pipelining.ts';
import type { WebSockets } from '../web-sockets.ts';

export interface UpgradeParts {
  readonly server: http.Server;
  readonly handle: (exchange: Exchange) => Promise<ApiResponse>;
  readonly pipelining: Pipelining;
  readonly feeds: WeakMap<Socket, ParserFeed>;
  readonly protocolErrors: ProtocolErrors;
  readonly connections: Http1Connections;
  readonly webSockets: WebSockets;
  readonly memory: TransportMemory;
}

export interface Upgrades {
  /** Call for each request as it begins: what its `Upgrade` header asked for, where that was ignored. */
  ignored(message: http.IncomingMessage): string | undefined;
}

export function serveUpgrades(parts: UpgradeParts): Upgrades {
  const { server, pipelining, feeds, protocolErrors, connections } = parts;
  /**
   * What the first request of a connection that goes back asked for; until it begins, the one that asked counts as in
   * work.
   */
  const ignored = new WeakMap<Socket, { readonly upgrade: string; readonly begun: () => void }>();
  const follow = (message: http.IncomingMessage, socket: Socket, behindHead: Buffer): void => {
    // Both are views of one chunk; together they are all that was read behind the request.
    const feed = feeds.get(socket);
    const head = Buffer.concat([behindHead, feed?.end() ?? nothing]);
    const headBytes = feed?.headBytes ?? 0;
    // Node has taken its own listener away, and without one an error ends the process.
    socket.on('error', ignoreError);
    if (protocolErrors.refuses(message)) return;
    socket.setTimeout(0);
    const done = connections.begin(socket);
    pipelining.after(socket, () => {
      if (message.method === 'CONNECT' || !isForHttp(message))
        return void answerHere(parts, { message, socket, head, headBytes, done });
      ignored.set(socket, { upgrade: message.headers.upgrade ?? '', begun: done });
      goBack(server, socket, headWithoutWish(message), head);
    });
  };
  server.on('upgrade', follow);
  server.on('connect', follow);
  return {
    ignored({ socket }) {
      const wish = ignored.get(socket);
      ignored.delete(socket);
      wish?.begun();
      return wish?.upgrade;
    },
  };
}

interface Handover {
  readonly message: http.IncomingMessage;
  readonly socket: Socket;
  /** What came behind the request. */
  readonly head: Buffer;
  readonly headBytes: number;
  /** To be called when nothing is under way on the connection any more. */
  readonly done: () => void;
}

async function answerHere(
  { server, handle, connections, webSockets, memory }: UpgradeParts,
  { message, socket, head, headBytes, done }: Handover,
): Promise<void> {
  const exchange = new UpgradeExchange(message);
  const end = (): void => {
    exchange.end();
    done();
  };
  socket.once('close', end);
  const usage = memory.trackHead(headBytes, () => socket.destroy());
  const answer = await handle(exchange);
  usage?.set(0);
  if ('webSocket' in answer)
    return webSockets.accept({ message, socket, head, opened: () => exchange.forgetHeaders() }, answer);
  if ('input' in answer) {
    connections.handOver(socket);
    exchange.forgetHeaders();
    if (head.length > 0) socket.unshift(head);
    socket.pipe(answer.input);
    return respond(upgradedOutlet(socket), answer, false);
  }
  const response = new http.ServerResponse(message);
  response.shouldKeepAlive =
    !/\bclose\b/i.test(message.headers.connection ?? '') &&
    answer.headers['connection'] !== 'close' &&
    !connections.isLeaving;
  exchange.forgetHeaders();
  response.assignSocket(socket);
  response.once('finish', () => {
    response.detachSocket(socket);
    socket.off('close', end);
    end();
    if (!response.shouldKeepAlive) return socket.destroySoon();
    goBack(server, socket, head);
    // Until the next request, as after any other answer.
    socket.setTimeout(server.keepAliveTimeout);
  });
  await respond(http1Outlet(message, response, memory.answers), answer, message.method === 'HEAD');
}

/** @param first are read before what comes */
function goBack(server: http.Server, socket: Socket, ...first: readonly Buffer[]): void {
  if (socket.destroyed) return;
  socket.off('error', ignoreError);
  for (const bytes of first.toReversed()) if (bytes.length > 0) socket.unshift(bytes);
  server.emit('connection', socket);
}

const ignoreError = (): void => undefined;
const nothing = Buffer.alloc(0);

/**
 * A body is read as HTTP first, and then the moment has passed; and an expectation that no server knows is refused
 * there.
 */
const isForHttp = ({ headers }: http.IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined ||
  Number(headers['content-length'] ?? 0) > 0 ||
  (headers.expect ?? '100-continue').toLowerCase() !== '100-continue';

/** The head as it was sent, but for the `Upgrade` header, or Node would hand the connection over again. */
function headWithoutWish({ method, url, httpVersion, rawHeaders }: http.IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]!.toLowerCase() !== 'upgrade') lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

/** A request whose connection is no longer one of Node's server. It has no body. */
class UpgradeExchange extends Http1Exchange {
  override readonly canChangeProtocol: boolean;
  override readonly canBecomeWebSocket: boolean;
  #listeners: (() => void)[] | undefined = [];

  constructor(message: http.IncomingMessage) {
    super(message, { upgrade: asksForUpgrade(message) });
    this.canChangeProtocol = message.method !== 'CONNECT';
    this.canBecomeWebSocket = message.method === 'GET' && this.upgrade === 'websocket';
  }

  override readBody(): Promise<Buffer> {
    return Promise.resolve(Buffer.alloc(0));
  }

  override onClose(listener: () => void): void {
    if (this.#listeners === undefined) queueMicrotask(listener);
    else this.#listeners.push(listener);
  }

  /** The client is gone, or has its answer. */
  end(): void {
    const listeners = this.#listeners ?? [];
    this.#listeners = undefined;
    for (const listener of listeners) listener();
  }
}
