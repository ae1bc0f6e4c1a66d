/** An API server whose WebSockets a test speaks for itself. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

export interface StreamServerOptions {
  /** In the order of the server's preference. */
  readonly protocols?: readonly string[];
  /** Answers in place of a WebSocket; undefined opens one. */
  readonly refuse?: (request: IncomingMessage) => { readonly status: number; readonly body: string } | undefined;
  readonly onSocket?: (socket: WebSocket, request: IncomingMessage) => void;
  readonly onRequest?: (request: IncomingMessage) => string;
}

export class StreamServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets: WebSocketServer;

  private constructor({ protocols = [], refuse, onSocket, onRequest }: StreamServerOptions) {
    this.#sockets = new WebSocketServer({
      noServer: true,
      handleProtocols: (offered) => protocols.find((protocol) => offered.has(protocol)) ?? false,
    });
    this.#server = createServer((request, response) => response.end(onRequest?.(request)));
    this.#server.on('upgrade', (request, socket, head) => {
      const refusal = refuse?.(request);
      if (refusal !== undefined)
        return void socket.end(
          `HTTP/1.1 ${refusal.status} Refused\r\ncontent-type: application/json\r\n` +
            `content-length: ${Buffer.byteLength(refusal.body)}\r\n\r\n${refusal.body}`,
        );
      this.#sockets.handleUpgrade(request, socket, head, (opened) => onSocket?.(opened, request));
    });
  }

  static async start(options: StreamServerOptions): Promise<StreamServer> {
    const server = new StreamServer(options);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
