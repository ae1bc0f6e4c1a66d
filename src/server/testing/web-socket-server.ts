/** A server that accepts what asks for a WebSocket, and an independent client on a loopback connection. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { EvictingQuota } from '../../base/evicting-quota.ts';
import type { Sink } from '../exchange.ts';
import { WebSockets } from '../web-sockets.ts';

export interface Given {
  readonly protocol?: string;
  readonly quota?: EvictingQuota;
  readonly stream?: (sink: Sink) => Promise<void>;
  readonly input?: Writable;
  /** Called with the connection before it is accepted. */
  readonly before?: (socket: Socket) => void;
}

/** A server that accepts what asks for a WebSocket. Without a stream, the test ends the answer by `finish`. */
export async function startWebSockets({
  protocol,
  quota = new EvictingQuota(1 << 30),
  stream,
  input,
  before,
}: Given = {}) {
  const webSockets = new WebSockets(quota);
  const server = http.createServer();
  const sockets = new Set<Socket>();
  let begin: (begun: { sink: Sink; socket: Socket }) => void;
  const begun = new Promise<{ sink: Sink; socket: Socket }>((resolve) => (begin = resolve));
  let finish: (error?: Error) => void = () => undefined;
  const finished = new Promise<void>((resolve, reject) => (finish = (e) => (e === undefined ? resolve() : reject(e))));
  finished.catch(() => undefined);
  let opened = 0;
  let accepted: (over: Promise<void>) => void;
  const over = new Promise<void>((resolve) => (accepted = resolve));
  server.on('upgrade', (message, socket: Socket, first) => {
    before?.(socket);
    const answer = (sink: Sink): Promise<void> => (begin({ sink, socket }), stream?.(sink) ?? finished);
    accepted(
      webSockets.accept(
        { message, socket, head: first, opened: () => opened++ },
        {
          status: 101,
          headers: {},
          webSocket: { protocol, isText: true, ...(input === undefined ? {} : { input }) },
          stream: answer,
        },
      ),
    );
  });
  server.on('connection', (socket: Socket) => void sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    webSockets,
    quota,
    begun,
    finish: (error?: Error) => finish(error),
    /** Resolves when the server is done with the answer. */
    over,
    opened: () => opened,
    connect(protocols: readonly string[] = []): Client {
      const client = new Client(`ws://127.0.0.1:${port}/`, protocols);
      onTestFinished(() => client.socket.terminate());
      return client;
    },
  };
}

export class Client {
  readonly socket: WebSocket;
  readonly messages: string[] = [];
  readonly opened: Promise<unknown>;
  /** The code with which the connection ended; 1006 without one. */
  readonly closed: Promise<number>;

  constructor(url: string, protocols: readonly string[]) {
    this.socket = new WebSocket(url, [...protocols]);
    this.socket.on('message', (data: Buffer) => void this.messages.push(data.toString()));
    this.socket.on('error', () => undefined);
    this.opened = once(this.socket, 'open');
    this.closed = new Promise((resolve) => this.socket.once('close', resolve));
  }

  /** The connection below. */
  get connection(): Socket {
    return (this.socket as unknown as { _socket: Socket })._socket;
  }
}
